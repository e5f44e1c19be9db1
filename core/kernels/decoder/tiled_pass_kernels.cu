// Kernels of a second pass in tiles (tiled_pass.cuh). The first finds the rows of all steps, a warp
// per trajectory. The second scores them.
#include <type_traits>

#include "core/kernels/decoder/decoder_launch.h"
#include "core/kernels/decoder/row_piece.cuh"
#include "core/kernels/decoder/tiled_pass.cuh"
#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/kernel_launch.cuh"

namespace vrp {
namespace {

constexpr int32_t kFindingWarps = 4;  // of a block that finds rows
// The hidden size for which kernels are compiled with constant strides.
constexpr int32_t kUsualHidden = 128;

template <int32_t kValue>
using Constant = std::integral_constant<int32_t, kValue>;

// The rows of all trajectories in device memory: max_steps per trajectory, of which the first
// counts[trajectory] are used.
struct PassRows {
  PassRow* rows = nullptr;
  int32_t* counts = nullptr;
  int64_t trajectories = 0;
};

// Lays out the scratch of a warp that finds rows.
constexpr DecoderScratchLayout LayOutFinding(int32_t nodes) {
  DecoderScratchLayout layout;
  ScratchPieces pieces(layout.bytes);
  pieces.Take(1, sizeof(DecoderStepState<float>));
  layout.visited = pieces.Take(nodes, 1);
  layout.allowed = pieces.Take(nodes, 1);
  return layout;
}

__device__ void WriteRow(const DecoderTask<float>& task, const DecoderScratch<float>& scratch,
                         int32_t choice, PassRow& row) {
  const auto lane = static_cast<int32_t>(threadIdx.x);
  for (int32_t word = 0; word < kPassMaskWords; ++word) {
    const int32_t n = 32 * word + lane;
    const uint32_t bits =
        __ballot_sync(WarpLanes::kAll, n < task.size() && scratch.allowed[n] != 0);
    if (lane == word) row.allowed[word] = bits;
  }
  if (lane < kContextShares) row.shares[lane] = scratch.step->shares[lane];
  if (lane == 0) {
    row.current = scratch.step->state.current;
    row.first = scratch.step->state.first;
    row.choice = choice;
    row.allowed_count = scratch.step->allowed;
  }
}

__global__ void __launch_bounds__(kFindingWarps* WarpLanes::kLanes)
    FindRowsKernel(DecoderBatch<float> batch, BatchSecondPassRequest request, PassRows to) {
  const int64_t trajectory = int64_t{blockIdx.x} * kFindingWarps + threadIdx.y;
  if (trajectory >= to.trajectories) return;
  const WarpGroup warp;
  const DecoderTask<float> task = batch.MakeTask(trajectory / request.trajectories);
  const DecoderScratchLayout layout = LayOutFinding(batch.nodes);
  const DecoderScratch<float> scratch =
      DecoderScratchAt<float>(layout, SharedBytes() + threadIdx.y * layout.bytes);
  const int32_t* const choices = request.choices + trajectory * request.max_steps;
  PassRow* const rows = to.rows + trajectory * request.max_steps;
  int32_t count = 0;
  BeginProgram(warp, task, scratch);
  for (int32_t t = 0; t < request.max_steps; ++t) {
    const int32_t choice = choices[t];
    if (choice < 0 || IsDone(scratch.step->state)) break;
    if (t > 0 || !request.distinct_starts) {
      FindAllowed(warp, task, scratch);
      if (scratch.step->allowed > 1) WriteRow(task, scratch, choice, rows[count++]);
    }
    TakeStep(warp, task, scratch, choice);
  }
  warp.Once([&] { to.counts[trajectory] = count; });
}

// Cuts a block's shared memory.
template <typename Size>
__device__ TileMemory CutSharedMemory(int32_t hidden) {
  const int32_t stride = RowStride(hidden);
  TileMemory memory;
  memory.rows = reinterpret_cast<PassRow*>(SharedBytes());
  auto* next = reinterpret_cast<float*>(memory.rows + kTileRows);
  const auto take = [&next](int32_t count) {
    float* const taken = next;
    next += count;
    return taken;
  };
  memory.keys = take(Size::kTiles * kTileNodes * stride);
  memory.values = take(Size::kTiles * kTileNodes * stride);
  memory.logit_keys = take(Size::kTiles * kTileNodes * stride);
  memory.queries = take(kTileRows * stride);
  memory.glimpses = take(kTileRows * stride);
  memory.d_glimpses = take(kTileRows * stride);
  memory.dots = take(kTileRows * DotStride(Size::kTiles));
  memory.turned = take(hidden / kTiledHead * kTileRows * DotStride(Size::kSumTiles));
  memory.terms = take(kTileRows);
  return memory;
}

__device__ int32_t ThreadOfBlock() {
  return static_cast<int32_t>(threadIdx.y * WarpLanes::kLanes + threadIdx.x);
}
__device__ int32_t ThreadsOfBlock() { return static_cast<int32_t>(blockDim.y) * WarpLanes::kLanes; }

// Writes a piece of a row that products read.
template <typename Size>
__device__ void WritePiece(const RowPiece<4>& piece, float* row, int32_t index) {
  RowPiece<4> stored;
  for (int32_t k = 0; k < 4; ++k) {
    stored.At(k) = TileProducts<Size::kExact>::Stored(piece.At(k));
  }
  reinterpret_cast<RowPiece<4>*>(row)[index] = stored;
}

// Copies rows of nodes to shared memory, and 0 to the rows of the tiles after the last node.
template <typename Size>
__device__ void CopyNodes(const DecoderTask<float>& task, const float* from, float* to) {
  const int32_t hidden = Size::HiddenOf(task);
  const int32_t pieces = hidden / 4;
  for (int32_t i = ThreadOfBlock(); i < Size::kTiles * kTileNodes * pieces; i += ThreadsOfBlock()) {
    const int32_t n = i / pieces;
    RowPiece<4> piece = {};
    if (n < task.size()) piece = PieceOf<4>(from + n * task.nodes.stride, i % pieces);
    WritePiece<Size>(piece, to + n * RowStride(hidden), i % pieces);
  }
}

// Copies a tile of rows to shared memory, and computes their queries.
template <typename Size>
__device__ void ReadTile(const DecoderTask<float>& task, const TileMemory& memory,
                         const PassRow* rows, int32_t count) {
  constexpr int32_t kWords = sizeof(PassRow) / sizeof(uint32_t);
  auto* const words = reinterpret_cast<uint32_t*>(memory.rows);
  for (int32_t i = ThreadOfBlock(); i < kTileRows * kWords; i += ThreadsOfBlock()) {
    words[i] = i / kWords < count ? reinterpret_cast<const uint32_t*>(rows)[i] : 0;
  }
  __syncthreads();
  const int32_t hidden = Size::HiddenOf(task);
  const int32_t pieces = hidden / 4;
  for (int32_t i = ThreadOfBlock(); i < kTileRows * pieces; i += ThreadsOfBlock()) {
    const PassRow& row = memory.rows[i / pieces];
    RowPiece<4> query = {};
    if (row.allowed_count > 0) {
      query = QueryPiece<4>(task, row.current, row.first, row.shares, i % pieces);
    }
    WritePiece<Size>(query, memory.queries + i / pieces * RowStride(hidden), i % pieces);
  }
  __syncthreads();
}

// Sums of the gradients of a query's shared terms, for the thread's column h.
struct QuerySums {
  float base = 0;
  float start = 0;
  float shares[kContextShares] = {};
};

// Adds the gradient of the tile's queries, which are in memory.glimpses. Threads of a column take
// turns at its rows. If `ordered`, one thread adds them all, in a fixed order.
template <typename Size>
__device__ void AddQueries(const DecoderTask<float>& task, const TileMemory& memory, bool ordered,
                           const DecoderNodes<float>& gradient, QuerySums& sums) {
  const int32_t hidden = Size::HiddenOf(task);
  const int32_t h = ThreadOfBlock() % hidden;
  const int32_t turns = ordered ? 1 : 2;
  if (ThreadOfBlock() / hidden >= turns) return;
  for (int32_t r = ThreadOfBlock() / hidden; r < kTileRows; r += turns) {
    const PassRow& row = memory.rows[r];
    if (row.allowed_count == 0) continue;
    const float value = memory.glimpses[r * RowStride(hidden) + h];
    if (task.rules->problem.tsp && row.first < 0) {
      sums.start += value;
      continue;
    }
    sums.base += value;
    atomicAdd(&gradient.queries[row.current * gradient.stride + h], value);
    if (row.first >= 0) {
      atomicAdd(&gradient.first_queries[row.first * gradient.stride + h], value);
    }
    for (int32_t k = 0; k < kContextShares; ++k) sums.shares[k] += value * row.shares[k];
  }
}

__device__ void WriteQuerySums(const DecoderTask<float>& task, const DecoderNodes<float>& gradient,
                               const QuerySums& sums) {
  const int32_t h = ThreadOfBlock() % task.hidden;
  atomicAdd(&gradient.base_query[h], sums.base);
  if (task.rules->problem.tsp) atomicAdd(&gradient.start_query[h], sums.start);
  if (gradient.shares_weight == nullptr) return;
  for (int32_t k = 0; k < kContextShares; ++k) {
    atomicAdd(&gradient.shares_weight[k * task.hidden + h], sums.shares[k]);
  }
}

// Adds one array of a head's sums to `to`, the array's gradient.
template <int32_t kSumTiles>
__device__ void WriteHeadSums(const DecoderTask<float>& task, const float (&sums)[kSumTiles][4],
                              int32_t chunk, int64_t stride, float* to) {
  const auto lane = static_cast<int32_t>(threadIdx.x);
  const int32_t h = static_cast<int32_t>(threadIdx.y) * kTiledHead + lane / 4;
  for (int32_t j = 0; j < kSumTiles; ++j) {
    for (int32_t i = 0; i < 4; ++i) {
      const int32_t n = (chunk * kSumTiles + j) * kTileNodes + lane % 4 * 2 + i % 2;
      if (n < task.size()) atomicAdd(&to[n * stride + h + i / 2 * 8], sums[j][i]);
    }
  }
}

template <typename Size>
__global__ void __launch_bounds__(kMaxTiledHeads* WarpLanes::kLanes, 1)
    TiledPassKernel(DecoderBatch<float> batch, BatchSecondPassRequest request,
                    double* log_likelihoods, BatchNodes<float> gradients, TiledPassPlan plan,
                    PassRows from) {
  const int32_t block = static_cast<int32_t>(blockIdx.x) / plan.chunks;
  const int32_t instance = block / plan.parts;
  const DecoderTask<float> task = batch.MakeTask(instance);
  const TileMemory memory = CutSharedMemory<Size>(Size::HiddenOf(task));
  CopyNodes<Size>(task, task.nodes.keys, memory.keys);
  CopyNodes<Size>(task, task.nodes.values, memory.values);
  CopyNodes<Size>(task, task.nodes.logit_keys, memory.logit_keys);
  const DecoderNodes<float> gradient = gradients.At(instance);
  TileHead<Size> head(task, memory, static_cast<int32_t>(threadIdx.y));
  HeadSums<Size::kSumTiles> sums;
  QuerySums query_sums;
  TileStep step = {.smoothing = static_cast<float>(request.label_smoothing),
                   .chunk = static_cast<int32_t>(blockIdx.x) % plan.chunks,
                   .gradient = gradient.keys != nullptr};
  for (int32_t p = block % plan.parts; p < request.trajectories; p += plan.parts) {
    const int64_t trajectory = int64_t{instance} * request.trajectories + p;
    const PassRow* const rows = from.rows + trajectory * request.max_steps;
    const int32_t count = from.counts[trajectory];
    step.weight = request.weights == nullptr ? 0 : static_cast<float>(request.weights[trajectory]);
    double log_likelihood = 0;
    for (int32_t begin = 0; begin < count; begin += kTileRows) {
      ReadTile<Size>(task, memory, rows + begin, count - begin);
      head.Attend();
      __syncthreads();
      head.WriteDots();
      __syncthreads();
      head.ScoreRows(step);
      __syncthreads();
      if (ThreadOfBlock() == 0) {
        for (int32_t r = 0; r < kTileRows; ++r) {
          log_likelihood += static_cast<double>(memory.terms[r]);
        }
      }
      if (step.gradient) head.AddGradient(step, sums);
      __syncthreads();
      if (step.gradient && step.chunk == 0) {
        AddQueries<Size>(task, memory, plan.ordered, gradient, query_sums);
      }
      __syncthreads();
    }
    if (step.chunk == 0 && ThreadOfBlock() == 0) log_likelihoods[trajectory] = log_likelihood;
  }
  if (!step.gradient) return;
  WriteHeadSums<Size::kSumTiles>(task, sums.keys, step.chunk, gradient.stride, gradient.keys);
  WriteHeadSums<Size::kSumTiles>(task, sums.values, step.chunk, gradient.stride, gradient.values);
  WriteHeadSums<Size::kSumTiles>(task, sums.logit_keys, step.chunk, gradient.stride,
                                 gradient.logit_keys);
  if (step.chunk == 0) WriteQuerySums(task, gradient, query_sums);
}

}  // namespace

cudaError_t LaunchTiledPass(const DecoderBatch<float>& batch, const BatchSecondPassRequest& request,
                            double* log_likelihoods, const BatchNodes<float>& gradient,
                            const TiledPassPlan& plan, uint8_t* scratch, cudaStream_t stream) {
  const int64_t trajectories = int64_t{batch.instances} * request.trajectories;
  auto* const rows = reinterpret_cast<PassRow*>(scratch);
  const PassRows found = {
      .rows = rows,
      .counts = reinterpret_cast<int32_t*>(rows + trajectories * request.max_steps),
      .trajectories = trajectories};
  const LaunchShape finding = {.blocks = (trajectories + kFindingWarps - 1) / kFindingWarps,
                               .threads = dim3(WarpLanes::kLanes, kFindingWarps),
                               .shared_bytes = kFindingWarps * LayOutFinding(batch.nodes).bytes};
  if (const cudaError_t error =
          LaunchKernel(FindRowsKernel, finding, stream, batch, request, found);
      error != cudaSuccess) {
    return error;
  }
  const LaunchShape shape = {
      .blocks = int64_t{batch.instances} * plan.parts * plan.chunks,
      .threads = dim3(WarpLanes::kLanes, static_cast<unsigned>(batch.shape.heads)),
      .shared_bytes = plan.shared_bytes};
  const auto launch = [&](auto kernel) {
    return LaunchKernel(kernel, shape, stream, batch, request, log_likelihoods, gradient, plan,
                        found);
  };
  const auto launch_size = [&](auto tiles, auto sum_tiles) {
    if (batch.shape.hidden != kUsualHidden) {
      return launch(TiledPassKernel<TiledPassSize<tiles(), sum_tiles(), 0, true>>);
    }
    return plan.exact
               ? launch(TiledPassKernel<TiledPassSize<tiles(), sum_tiles(), kUsualHidden, true>>)
               : launch(TiledPassKernel<TiledPassSize<tiles(), sum_tiles(), kUsualHidden, false>>);
  };
  switch (plan.tiles) {
    case 2:
      return launch_size(Constant<2>(), Constant<2>());
    case 4:
      return launch_size(Constant<4>(), Constant<4>());
    case 7:
      return launch_size(Constant<7>(), Constant<7>());
    case 10:
      return launch_size(Constant<10>(), Constant<5>());
    default:
      return launch_size(Constant<13>(), Constant<7>());
  }
}

}  // namespace vrp
