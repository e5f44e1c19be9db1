// The kernel of a bias's gradient. A block sums 128 columns of kBiasRows rows: a warp per row, four
// columns per thread.
#include "core/kernels/bias_gradient/bias_gradient_launch.h"
#include "core/kernels/launch/kernel_launch.cuh"

namespace vrp {
namespace {

constexpr int32_t kBiasLanes = 32;
constexpr int32_t kBiasWarps = 8;
constexpr int32_t kBatch = 4;  // number of rows that a thread loads at once
constexpr int32_t kSlabColumns = kBiasLanes * kBiasVector;
static_assert(kSlabColumns <= kBiasLanes * kBiasWarps);

// Neighbouring columns, loaded and stored by one instruction.
template <typename T>
struct alignas(kBiasVector * sizeof(T)) Columns {
  T values[kBiasVector];
};

template <typename T>
__device__ Columns<T> LoadColumns(const T* from) {
  return *reinterpret_cast<const Columns<T>*>(from);
}

// Gates rows' gradients and adds them to `sums`. The rows begin at elements at, at + step, ...;
// kRows of them are loaded before the first one is used.
template <int32_t kRows, typename T>
__device__ void AddRows(const BiasGradientTask<T>& task, int64_t at, int64_t step,
                        float (&sums)[kBiasVector]) {
  Columns<T> gradients[kRows];
  Columns<T> active[kRows];
  for (int32_t r = 0; r < kRows; ++r) {
    gradients[r] = LoadColumns(task.gradient + at + r * step);
    if (task.active != nullptr) active[r] = LoadColumns(task.active + at + r * step);
  }
  for (int32_t r = 0; r < kRows; ++r) {
    for (int32_t i = 0; i < kBiasVector; ++i) {
      T& gradient = gradients[r].values[i];
      // A NaN passes, as in torch.
      if (task.active != nullptr && ToFloat(active[r].values[i]) <= 0) gradient = T{};
      sums[i] += ToFloat(gradient);
    }
    if (task.gated == nullptr) continue;
    *reinterpret_cast<Columns<T>*>(task.gated + at + r * step) = gradients[r];
  }
}

// Returns the sum over all warps of the column whose index is the thread's, 0 for threads beyond
// the columns. All threads of the block must call this together. (The tests' emulated device does
// not know shared memory of templates.)
__device__ float SumOfColumn(const float (&sums)[kBiasVector]) {
  __shared__ float of_warps[kBiasWarps][kSlabColumns];
  const auto lane = static_cast<int32_t>(threadIdx.x);
  const auto warp = static_cast<int32_t>(threadIdx.y);
  for (int32_t i = 0; i < kBiasVector; ++i) of_warps[warp][lane * kBiasVector + i] = sums[i];
  __syncthreads();
  const int32_t column = warp * kBiasLanes + lane;
  float sum = 0;
  for (int32_t other = 0; other < kBiasWarps && column < kSlabColumns; ++other) {
    sum += of_warps[other][column];
  }
  return sum;
}

template <typename T>
__global__ void __launch_bounds__(kBiasLanes* kBiasWarps)
    BiasGradientKernel(BiasGradientTask<T> task) {
  const int32_t slabs = (task.columns + kSlabColumns - 1) / kSlabColumns;
  const int64_t block = int64_t{blockIdx.x} / slabs;
  const int32_t first = static_cast<int32_t>(int64_t{blockIdx.x} % slabs) * kSlabColumns;
  const auto lane = static_cast<int32_t>(threadIdx.x);
  const auto warp = static_cast<int32_t>(threadIdx.y);
  const int32_t column = first + lane * kBiasVector;
  const int64_t end = (block + 1) * kBiasRows < task.rows ? (block + 1) * kBiasRows : task.rows;
  float sums[kBiasVector] = {};
  if (column < task.columns) {
    int64_t row = block * kBiasRows + warp;
    const int64_t step = int64_t{kBiasWarps} * task.columns;
    for (; row + (kBatch - 1) * kBiasWarps < end; row += kBatch * kBiasWarps) {
      AddRows<kBatch>(task, row * task.columns + column, step, sums);
    }
    for (; row < end; row += kBiasWarps) {
      AddRows<1>(task, row * task.columns + column, step, sums);
    }
  }
  const float sum = SumOfColumn(sums);
  const int32_t mine = warp * kBiasLanes + lane;
  if (mine >= kSlabColumns || first + mine >= task.columns) return;
  task.sums[block * task.columns + first + mine] = sum;
}

}  // namespace

template <typename T>
cudaError_t LaunchBiasGradient(const BiasGradientTask<T>& task, cudaStream_t stream) {
  const int64_t slabs = (task.columns + kSlabColumns - 1) / kSlabColumns;
  const LaunchShape shape = {.blocks = task.blocks() * slabs,
                             .threads = dim3(kBiasLanes, kBiasWarps)};
  return LaunchKernel(BiasGradientKernel<T>, shape, stream, task);
}

template cudaError_t LaunchBiasGradient(const BiasGradientTask<float>&, cudaStream_t);
template cudaError_t LaunchBiasGradient(const BiasGradientTask<Bf16Value>&, cudaStream_t);

}  // namespace vrp
