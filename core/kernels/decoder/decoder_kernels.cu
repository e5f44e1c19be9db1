// Kernels of the decoder. A block serves some of one instance's trajectories, or some of their
// steps.
#include "core/kernels/decoder/decoder_launch.h"
#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/kernel_launch.cuh"
#include "core/kernels/launch/slice_group.cuh"

namespace vrp {
namespace {

// Inputs and scratch of a group.
struct GroupWork {
  DecoderTask<float> task;
  DecoderScratch<float> scratch;
  int32_t instance = 0;
  int32_t group = 0;  // number among the instance's groups
};

// Copies rows of H floats that are `stride` apart to contiguous shared memory.
__device__ const float* CopyToShared(const float* from, int64_t stride, int32_t nodes,
                                     int32_t hidden, float* to) {
  const auto thread = static_cast<int32_t>(threadIdx.y * kSliceThreads + threadIdx.x);
  const auto threads = static_cast<int32_t>(blockDim.y * kSliceThreads);
  for (int32_t i = thread; i < nodes * hidden; i += threads) {
    to[i] = from[i / hidden * stride + i % hidden];
  }
  return to;
}

// Sets up a group. Shared memory holds the groups' scratch, then the staged rows. Queries are not
// staged, because a step reads only one row of them.
__device__ GroupWork Begin(const DecoderBatch<float>& batch, const DecoderLaunchPlan& plan,
                           uint8_t* scratch, bool gradient) {
  uint8_t* const shared = SharedBytes();
  GroupWork work;
  work.instance = static_cast<int32_t>(blockIdx.x) / plan.blocks_per_instance;
  const int32_t block = static_cast<int32_t>(blockIdx.x) % plan.blocks_per_instance;
  const auto slice = static_cast<int32_t>(threadIdx.y);
  work.group = block * plan.slices + slice;
  work.task = batch.MakeTask(work.instance);
  const DecoderScratchLayout layout =
      LayOutDecoderScratch<float>(batch.shape, batch.nodes, gradient);
  uint8_t* const group_scratch =
      scratch == nullptr ? shared : scratch + blockIdx.x * (plan.slices * layout.bytes);
  work.scratch = DecoderScratchAt<float>(layout, group_scratch + slice * layout.bytes);
  if (plan.staged) {
    const int32_t nodes = work.task.size();
    const int32_t hidden = batch.shape.hidden;
    auto* const rows = reinterpret_cast<float*>(shared + plan.slices * layout.bytes);
    DecoderNodes<const float>& from = work.task.nodes;
    const int64_t size = int64_t{nodes} * hidden;
    from.keys = CopyToShared(from.keys, from.stride, nodes, hidden, rows);
    from.values = CopyToShared(from.values, from.stride, nodes, hidden, rows + size);
    from.logit_keys = CopyToShared(from.logit_keys, from.stride, nodes, hidden, rows + 2 * size);
    work.task.row_stride = hidden;
  }
  __syncthreads();
  return work;
}

// Number of threads that must fit on a multiprocessor, which bounds the registers of a thread.
// While a group waits for memory, other groups run.
constexpr int32_t kResidentThreads = 1024;

template <bool kSingleSlice>
constexpr int32_t MaxThreads() {
  return kSingleSlice ? kSliceThreads : kSliceThreads * kMaxSlices;
}

template <bool kSingleSlice>
__global__ void __launch_bounds__(MaxThreads<kSingleSlice>(),
                                  kResidentThreads / MaxThreads<kSingleSlice>())
    RolloutKernel(DecoderBatch<float> batch, BatchRolloutRequest request, BatchRolloutResult result,
                  DecoderLaunchPlan plan, uint8_t* scratch) {
  const GroupWork work = Begin(batch, plan, scratch, false);
  if (work.group >= plan.trajectory_parts) return;
  for (int32_t p = work.group; p < request.trajectories; p += plan.trajectory_parts) {
    const int64_t trajectory = int64_t{work.instance} * request.trajectories + p;
    RollOut(SliceGroup<kSingleSlice>(), work.task, work.scratch, request, trajectory, result);
  }
}

template <bool kSingleSlice>
__global__ void __launch_bounds__(MaxThreads<kSingleSlice>(),
                                  kResidentThreads / MaxThreads<kSingleSlice>())
    SecondPassKernel(DecoderBatch<float> batch, BatchSecondPassRequest request,
                     double* log_likelihoods, BatchNodes<float> gradient, DecoderLaunchPlan plan,
                     uint8_t* scratch) {
  const GroupWork work = Begin(batch, plan, scratch, true);
  const int32_t part = work.group / plan.trajectory_parts;
  if (part >= plan.step_parts) return;
  const DecoderNodes<float> sum = gradient.At(work.instance);
  for (int32_t p = work.group % plan.trajectory_parts; p < request.trajectories;
       p += plan.trajectory_parts) {
    const int64_t trajectory = int64_t{work.instance} * request.trajectories + p;
    TrajectoryPass pass = MakeTrajectoryPass(request, trajectory, log_likelihoods);
    pass.part = part;
    pass.parts = plan.step_parts;
    RunSecondPass(SliceGroup<kSingleSlice>(), work.task, work.scratch, request, pass, sum);
  }
}

LaunchShape ShapeOf(const DecoderLaunchPlan& plan, int32_t instances) {
  return {.blocks = plan.blocks(instances),
          .threads = dim3(kSliceThreads, static_cast<unsigned>(plan.slices)),
          .shared_bytes = plan.shared_bytes};
}

}  // namespace

cudaError_t LaunchRollout(const DecoderBatch<float>& batch, const BatchRolloutRequest& request,
                          const BatchRolloutResult& result, const DecoderLaunch& launch) {
  const auto kernel = launch.plan.slices == 1 ? RolloutKernel<true> : RolloutKernel<false>;
  return LaunchKernel(kernel, ShapeOf(launch.plan, batch.instances), launch.stream, batch, request,
                      result, launch.plan, launch.scratch);
}

cudaError_t LaunchSecondPass(const DecoderBatch<float>& batch,
                             const BatchSecondPassRequest& request, double* log_likelihoods,
                             const BatchNodes<float>& gradient, const DecoderLaunch& launch) {
  const auto kernel = launch.plan.slices == 1 ? SecondPassKernel<true> : SecondPassKernel<false>;
  return LaunchKernel(kernel, ShapeOf(launch.plan, batch.instances), launch.stream, batch, request,
                      log_likelihoods, gradient, launch.plan, launch.scratch);
}

}  // namespace vrp
