// Kernels of a second pass in tiles (tiled_pass.cuh). The first finds the rows of all steps, a warp
// per trajectory. The second scores them.
#include <bit>
#include <type_traits>

#include "core/kernels/decoder/decoder_launch.h"
#include "core/kernels/decoder/tiled_memory.cuh"
#include "core/kernels/decoder/tiled_pass.cuh"
#include "core/kernels/decoder/tiled_pass_half.cuh"
#include "core/kernels/decoder/tiled_queries.cuh"
#include "core/kernels/decoder/tiled_score.cuh"
#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/kernel_launch.cuh"

namespace vrp {
namespace {

constexpr int32_t kFindingWarps = 4;  // of a block that finds rows

template <typename Size>
using TileHeadOf = std::conditional_t<Size::kExact, TileHead<Size>, HalfTileHead<Size>>;

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
  return layout;
}

// Writes the row of the step at scratch.step, a word per lane, unless only one node is allowed.
// Returns whether it has written the row.
__device__ bool WriteRow(const DecoderTask<float>& task, const DecoderScratch<float>& scratch,
                         int32_t choice, PassRow* row) {
  constexpr int32_t kFirstShare = kPassMaskWords;
  constexpr int32_t kFirstNumber = kPassMaskWords + kContextShares;
  const auto lane = static_cast<int32_t>(threadIdx.x);
  const RouteState& state = scratch.step->state;
  uint32_t mine = 0;  // the lane's word
  int32_t count = 0;
  for (int32_t word = 0; word < kPassMaskWords; ++word) {
    if (32 * word >= task.size()) break;
    const int32_t n = 32 * word + lane;
    const bool allowed = n < task.size() && IsAllowed(*task.rules, state, scratch.visited, n);
    const uint32_t bits = __ballot_sync(WarpLanes::kAll, allowed);
    count += __popc(bits);
    if (lane == word) mine = bits;
  }
  if (count <= 1) return false;
  float shares[kContextShares];
  WriteShares(*task.rules, state, shares);
  for (int32_t k = 0; k < kContextShares; ++k) {
    if (lane == kFirstShare + k) mine = std::bit_cast<uint32_t>(shares[k]);
  }
  const int32_t numbers[] = {state.current, state.first, choice, count};
  for (int32_t k = 0; k < 4; ++k) {
    if (lane == kFirstNumber + k) mine = static_cast<uint32_t>(numbers[k]);
  }
  static_assert(sizeof(PassRow) == (kFirstNumber + 4) * sizeof(uint32_t));
  if (lane < kFirstNumber + 4) reinterpret_cast<uint32_t*>(row)[lane] = mine;
  return true;
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
  int32_t choice = request.max_steps > 0 ? choices[0] : -1;
  for (int32_t t = 0; choice >= 0 && !IsDone(scratch.step->state); ++t) {
    const int32_t next = t + 1 < request.max_steps ? choices[t + 1] : -1;
    if (t > 0 || !request.distinct_starts) {
      if (WriteRow(task, scratch, choice, rows + count)) ++count;
    }
    TakeStep(warp, task, scratch, choice);
    choice = next;
  }
  warp.Once([&] { to.counts[trajectory] = count; });
}

// A tile of a block's trajectories. It has the last rows of trajectory p, if there are any left,
// and goes on with the first ones of the block's next trajectory.
struct TilePlace {
  int32_t p = 0;           // trajectory of the instance
  int32_t begin = 0;       // the tile's first row of p
  int32_t count = 0;       // all rows of p
  int32_t next_count = 0;  // all rows of the next trajectory

  // Returns the number of rows of p in the tile.
  __device__ int32_t Own() const { return count - begin < kTileRows ? count - begin : kTileRows; }
  // Returns the number of rows of the next trajectory in the tile.
  __device__ int32_t Next() const {
    const int32_t room = kTileRows - Own();
    return next_count < room ? next_count : room;
  }
  // Whether p has no rows after the tile.
  __device__ bool EndsTrajectory() const { return begin + kTileRows >= count; }
};

// Goes through the tiles of a block's trajectories.
class TilePlaces {
 public:
  // Takes every parts-th trajectory of the instance from trajectory p on.
  __device__ TilePlaces(const TileInputs& inputs, const BatchSecondPassRequest& request,
                        int32_t parts)
      : inputs_(inputs),
        trajectories_(request.trajectories),
        max_steps_(request.max_steps),
        parts_(parts) {}

  // The inputs must be in shared memory from here on.
  __device__ TilePlace Begin(int32_t p) {
    later_count_ = CountOf(p + 2 * parts_);
    return {.p = p, .count = CountOf(p), .next_count = CountOf(p + parts_)};
  }
  __device__ TilePlace After(const TilePlace& place) {
    TilePlace next = place;
    next.begin += kTileRows;
    if (!place.EndsTrajectory()) return next;
    next = {.p = place.p + parts_,
            .begin = place.Next(),
            .count = place.next_count,
            .next_count = later_count_};
    later_count_ = CountOf(next.p + 2 * parts_);  // arrives while the block scores a tile
    return next;
  }
  __device__ bool Contains(const TilePlace& place) const { return place.p < trajectories_; }
  __device__ TileRows RowsOf(const TilePlace& place) const {
    const int64_t next = place.p + parts_;
    const double* const weights = inputs_.weights;
    return {.own = inputs_.rows + int64_t{place.p} * max_steps_ + place.begin,
            .next = inputs_.rows + next * max_steps_,
            .own_count = place.Own(),
            .next_count = place.Next(),
            .own_weight = weights == nullptr ? nullptr : weights + place.p,
            .next_weight = weights == nullptr ? nullptr : weights + next};
  }

 private:
  __device__ int32_t CountOf(int32_t p) const { return p < trajectories_ ? inputs_.counts[p] : 0; }

  const TileInputs& inputs_;
  const int32_t trajectories_;
  const int32_t max_steps_;
  const int32_t parts_;
  int32_t later_count_ = 0;  // rows of the trajectory after the next one
};

// Adds one array of a head's sums, divided by step.scale, to `to`, the array's gradient.
template <int32_t kSumTiles>
__device__ void WriteHeadSums(const DecoderTask<float>& task, const float (&sums)[kSumTiles][4],
                              const TileStep& step, int64_t stride, float* to) {
  const float factor = 1 / step.scale;
  const auto lane = static_cast<int32_t>(threadIdx.x);
  const int32_t h = static_cast<int32_t>(threadIdx.y) * kTiledHead + lane / 4;
  for (int32_t j = 0; j < kSumTiles; ++j) {
    for (int32_t i = 0; i < 4; ++i) {
      const int32_t n = (step.chunk * kSumTiles + j) * kTileNodes + lane % 4 * 2 + i % 2;
      if (n < task.size()) atomicAdd(&to[n * stride + h + i / 2 * 8], factor * sums[j][i]);
    }
  }
}

// Writes the log-likelihood of a trajectory, after a barrier that follows WriteTerm().
template <typename Size>
__device__ void WriteLogLikelihood(const DecoderTask<float>& task,
                                   const TileMemory<typename Size::Element>& memory, double* to) {
  double sum = 0;
  for (int32_t m = 0; m < Size::HeadsOf(task); ++m) sum += memory.terms[m];
  *to = sum;
}

template <typename Size>
__device__ void WriteSums(const DecoderTask<float>& task,
                          const TileMemory<typename Size::Element>& memory, const TileStep& step,
                          const HeadSums<Size::kSumTiles>& sums) {
  const DecoderNodes<float>& gradient = memory.inputs->gradient;
  constexpr int32_t kTiles = Size::kSumTiles;
  WriteHeadSums<kTiles>(task, sums.keys, step, gradient.stride, gradient.keys);
  WriteHeadSums<kTiles>(task, sums.values, step, gradient.stride, gradient.values);
  WriteHeadSums<kTiles>(task, sums.logit_keys, step, gradient.stride, gradient.logit_keys);
  if (step.chunk == 0) WriteQuerySums<Size>(task, memory, gradient);
}

// Returns the inputs of a block. `from` has the rows of all instances.
__device__ TileInputs MakeInputs(const DecoderTask<float>& task,
                                 const DecoderNodes<float>& gradient,
                                 const BatchSecondPassRequest& request, const PassRows& from,
                                 int64_t instance) {
  const int64_t first = instance * request.trajectories;
  return {.task = task,
          .gradient = gradient,
          .rows = from.rows + first * request.max_steps,
          .counts = from.counts + first,
          .weights = request.weights == nullptr ? nullptr : request.weights + first};
}

// Scores a block's trajectories tile by tile. While it scores a tile, it loads the next one's rows.
template <typename Size>
__global__ void __launch_bounds__(kMaxTiledHeads* WarpLanes::kLanes, 1)
    TiledPassKernel(DecoderBatch<float> batch, BatchSecondPassRequest request,
                    double* log_likelihoods, BatchNodes<float> gradients, TiledPassPlan plan,
                    PassRows from) {
  const int32_t block = static_cast<int32_t>(blockIdx.x) / plan.chunks;
  const int32_t instance = block / plan.parts;
  const DecoderTask<float> made = batch.MakeTask(instance);
  const auto memory = CutSharedMemory<Size>(made);
  const DecoderTask<float>& task = memory.inputs->task;
  if (ThreadOfBlock() == 0) {
    *memory.inputs = MakeInputs(made, gradients.At(instance), request, from, instance);
  }
  __syncthreads();
  TilePlaces places(*memory.inputs, request, plan.parts);
  TilePlace place = places.Begin(block % plan.parts);
  int32_t second = 0;  // whether the tile's rows are the second half of memory.rows
  LoadRows<Size>(task, places.RowsOf(place), memory, second);
  CopyNodes<Size>(made, Size::ThreadsOf(made), memory);
  ClearQuerySums<Size>(made, memory);
  EndCopies();
  __syncthreads();
  WriteQueries<Size>(task, memory.rows, memory.queries);
  __syncwarp();
  TileHeadOf<Size> head(task, memory, static_cast<int32_t>(threadIdx.y));
  HeadSums<Size::kSumTiles> sums;
  TileStep step = {
      .smoothing = static_cast<float>(request.label_smoothing),
      .chunk = static_cast<int32_t>(blockIdx.x) % plan.chunks,
      .gradient = gradients.first.keys != nullptr,
      .scale = GradientScale<Size>(made, memory.inputs->weights, request.trajectories)};
  TileTerms terms;
  while (places.Contains(place)) {
    const PassRow* const rows = memory.rows + second * kTileRows;
    const TilePlace next = places.After(place);
    head.Attend(rows);
    __syncthreads();
    // No thread reads the previous tile's rows any more.
    LoadRows<Size>(task, places.RowsOf(next), memory, 1 - second);
    head.WriteDots();
    __syncthreads();
    ScoreRows<Size>(task, memory, step, second, place.Own(), terms);
    if (place.EndsTrajectory()) {
      WriteTerm(memory, terms.own);
      terms = {.own = terms.next};
    }
    EndCopies();
    __syncthreads();
    if (place.EndsTrajectory() && step.chunk == 0 && ThreadOfBlock() == 0) {
      const int64_t trajectory = int64_t{instance} * request.trajectories + place.p;
      WriteLogLikelihood<Size>(task, memory, log_likelihoods + trajectory);
    }
    if (step.gradient) {
      head.AddGradient(step, sums);
      __syncwarp();
      if (step.chunk == 0) {
        AddQueries<Size>(task, memory, rows, plan.ordered);
      }
    }
    WriteQueries<Size>(task, memory.rows + (1 - second) * kTileRows, memory.queries);
    __syncwarp();
    place = next;
    second = 1 - second;
  }
  if (step.gradient) WriteSums<Size>(task, memory, step, sums);
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
  const auto launch_size = [&](auto tiles, auto exact_sums) {
    if (!plan.exact) {
      return launch(TiledPassKernel<TiledPassSize<tiles(), tiles(), kUsualHidden, false>>);
    }
    return batch.shape.hidden == kUsualHidden
               ? launch(TiledPassKernel<TiledPassSize<tiles(), exact_sums(), kUsualHidden, true>>)
               : launch(TiledPassKernel<TiledPassSize<tiles(), exact_sums(), 0, true>>);
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
