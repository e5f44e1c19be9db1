// The decoder's scores of a step for warps that decode one trajectory each, or for teams of warps
// that decode one together. Lane l holds the elements [l * kPerLane, (l + 1) * kPerLane) of the
// query and of the glimpse in registers, so that a warp reads a node's row at once. A head has
// 32 / M neighbouring lanes. Shared memory begins with the instance's keys, values and logit keys,
// [3, N, H].
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/decoder/row_piece.cuh"
#include "core/kernels/launch/fast_math.cuh"
#include "core/kernels/launch/warp_group.cuh"

namespace vrp {

// What the warps of a team exchange, in shared memory: the largest score, the sum of the weights
// and the glimpse of each warp's nodes, [warps, 2 + kPerLane, 32].
struct TeamMemory {
  float* parts = nullptr;
  int32_t* done = nullptr;  // 1 when the team's trajectories are decoded
};

// A warp that decodes with H = 32 * kPerLane, for numbers of heads that divide 32. If `kTeam`, all
// warps of the block score the nodes of each step. Warp 0 does everything else; the others run
// HelpTeam().
template <int32_t kPerLane, bool kTeam>
struct DecoderWarp : WarpGroup {
  int32_t warp = 0;  // this warp's number in its team, and the number of the team's warps
  int32_t warps = 1;
  TeamMemory memory = {};
};

template <int32_t kCount>
__device__ float DotOfPieces(const RowPiece<kCount>& x, const RowPiece<kCount>& y) {
  float sum = x.At(0) * y.At(0);
  for (int32_t i = 1; i < kCount; ++i) sum += x.At(i) * y.At(i);
  return sum;
}

__device__ inline int32_t LaneOfWarp() { return static_cast<int32_t>(threadIdx.x) % 32; }

// Number of nodes that a warp scores at a time, whose loads and sums overlap.
inline constexpr int32_t kNodesAtATime = 4;
struct alignas(16) FourNodes {
  int32_t nodes[kNodesAtATime];
};

// Fills scratch.allowed and order, counts the allowed nodes, and writes the shares.
template <int32_t kPerLane, bool kTeam>
__device__ void FindAllowed(const DecoderWarp<kPerLane, kTeam>& warp,
                            const DecoderTask<float>& task, const DecoderScratch<float>& scratch) {
  const int32_t lane = LaneOfWarp();
  const RouteState& state = scratch.step->state;
  int32_t count = 0;
  for (int32_t begin = 0; begin < task.size(); begin += WarpLanes::kLanes) {
    const int32_t n = begin + lane;
    const bool allowed = n < task.size() && IsAllowed(*task.rules, state, scratch.visited, n);
    const uint32_t voted = __ballot_sync(WarpLanes::kAll, allowed);
    if (n < task.size()) scratch.allowed[n] = allowed ? 1 : 0;
    if (allowed) scratch.order[count + __popc(voted & ((1u << lane) - 1))] = n;
    count += __popc(voted);
  }
  if (lane < kNodesAtATime - 1) scratch.order[count + lane] = 0;
  warp.Once([&] {
    scratch.step->allowed = count;
    WriteShares(*task.rules, state, scratch.step->shares);
  });
}

// Reads the rows of the listed nodes from number i on, of array `which` in shared memory.
template <int32_t kPerLane>
__device__ void ReadRows(const DecoderTask<float>& task, int32_t which, const FourNodes& listed,
                         RowPiece<kPerLane> (&pieces)[kNodesAtATime]) {
  constexpr int32_t kHidden = WarpLanes::kLanes * kPerLane;
  const auto* const rows =
      reinterpret_cast<const float*>(SharedBytes()) + which * task.size() * kHidden;
  for (int32_t k = 0; k < kNodesAtATime; ++k) {
    pieces[k] = PieceOf<kPerLane>(rows + listed.nodes[k] * kHidden, LaneOfWarp());
  }
}

// This lane's part of an attention over some nodes. The glimpse is not divided by the total yet.
template <int32_t kPerLane>
struct PartialGlimpse {
  float largest = -std::numeric_limits<float>::infinity();  // score, times log2(e)
  float total = 0;
  RowPiece<kPerLane> glimpse = {};

  // Makes `next`, which is not less than `largest`, the largest score.
  __device__ void Rescale(float next) {
    const float factor = largest == next ? 1 : FastExp2(largest - next);
    largest = next;
    total *= factor;
    for (int32_t k = 0; k < kPerLane; ++k) glimpse.At(k) *= factor;
  }
};

// Attends to the warp's share of the allowed nodes. Computes the softmax while it reads them, and
// rescales earlier terms when a larger score appears (Milakov and Gimelshein 2018).
template <int32_t kPerLane, bool kTeam>
__device__ PartialGlimpse<kPerLane> AttendInWarp(const DecoderWarp<kPerLane, kTeam>& warp,
                                                 const DecoderTask<float>& task,
                                                 const DecoderScratch<float>& scratch) {
  const int32_t count = scratch.step->allowed;
  const int32_t head_lanes = WarpLanes::kLanes / task.heads;
  const RouteState& state = scratch.step->state;
  RowPiece<kPerLane> query =
      QueryPiece<kPerLane>(task, state.current, state.first, scratch.step->shares, LaneOfWarp());
  for (int32_t k = 0; k < kPerLane; ++k) query.At(k) *= kLog2E;
  PartialGlimpse<kPerLane> sum;
  for (int32_t i = warp.warp * kNodesAtATime; i < count; i += warp.warps * kNodesAtATime) {
    const FourNodes listed = *reinterpret_cast<const FourNodes*>(scratch.order + i);
    RowPiece<kPerLane> keys[kNodesAtATime];
    RowPiece<kPerLane> values[kNodesAtATime];
    ReadRows(task, 0, listed, keys);
    ReadRows(task, 1, listed, values);
    float scores[kNodesAtATime];
    for (int32_t k = 0; k < kNodesAtATime; ++k) scores[k] = DotOfPieces(query, keys[k]);
    for (int32_t offset = head_lanes / 2; offset > 0; offset /= 2) {
      for (float& score : scores) score += __shfl_xor_sync(WarpLanes::kAll, score, offset);
    }
    float next = sum.largest;
    for (int32_t k = 0; k < kNodesAtATime; ++k) {
      if (i + k >= count) scores[k] = -std::numeric_limits<float>::infinity();
      next = scores[k] > next ? scores[k] : next;
    }
    sum.Rescale(next);
    for (int32_t k = 0; k < kNodesAtATime; ++k) {
      const float weight = FastExp2(scores[k] - next);
      sum.total += weight;
      for (int32_t h = 0; h < kPerLane; ++h) sum.glimpse.At(h) += weight * values[k].At(h);
    }
  }
  return sum;
}

// Joins the glimpses of a team's warps.
template <int32_t kPerLane>
__device__ PartialGlimpse<kPerLane> JoinTeam(const DecoderWarp<kPerLane, true>& warp,
                                             const PartialGlimpse<kPerLane>& own) {
  constexpr int32_t kLanes = WarpLanes::kLanes;
  constexpr int32_t kSize = (2 + kPerLane) * kLanes;
  float* const mine = warp.memory.parts + warp.warp * kSize + LaneOfWarp();
  mine[0] = own.largest;
  mine[kLanes] = own.total;
  for (int32_t k = 0; k < kPerLane; ++k) mine[(2 + k) * kLanes] = own.glimpse.At(k);
  __syncthreads();
  PartialGlimpse<kPerLane> sum;
  const float* const first = warp.memory.parts + LaneOfWarp();
  for (int32_t w = 0; w < warp.warps; ++w) {
    sum.largest = first[w * kSize] > sum.largest ? first[w * kSize] : sum.largest;
  }
  for (int32_t w = 0; w < warp.warps; ++w) {
    const float* const part = first + w * kSize;
    const float factor = FastExp2(part[0] - sum.largest);
    sum.total += factor * part[kLanes];
    for (int32_t k = 0; k < kPerLane; ++k) {
      sum.glimpse.At(k) += factor * part[(2 + k) * kLanes];
    }
  }
  return sum;
}

// Adds each of four values over the warp. Returns the sum of value 2 * (lane / 16) + lane / 8 % 2.
// Lanes exchange values, so that this takes 6 shuffles instead of 20.
__device__ inline float SumOfFour(const float (&values)[kNodesAtATime]) {
  static_assert(kNodesAtATime == 4);
  const bool upper = LaneOfWarp() >= 16;
  const bool odd = LaneOfWarp() / 8 % 2 != 0;
  const float first = (upper ? values[2] : values[0]) +
                      __shfl_xor_sync(WarpLanes::kAll, upper ? values[0] : values[2], 16);
  const float second = (upper ? values[3] : values[1]) +
                       __shfl_xor_sync(WarpLanes::kAll, upper ? values[1] : values[3], 16);
  float sum = (odd ? second : first) + __shfl_xor_sync(WarpLanes::kAll, odd ? first : second, 8);
  for (int32_t offset = 4; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(WarpLanes::kAll, sum, offset);
  }
  return sum;
}

// Writes the dot products of the glimpse and the logit keys of the allowed nodes to scratch.tanhs.
// All warps of a team call it.
template <int32_t kPerLane, bool kTeam>
__device__ void WriteDots(const DecoderWarp<kPerLane, kTeam>& warp, const DecoderTask<float>& task,
                          const DecoderScratch<float>& scratch) {
  PartialGlimpse<kPerLane> sum = AttendInWarp(warp, task, scratch);
  if constexpr (kTeam) sum = JoinTeam(warp, sum);
  const float factor = FastReciprocal(sum.total);
  for (int32_t k = 0; k < kPerLane; ++k) sum.glimpse.At(k) *= factor;
  const int32_t count = scratch.step->allowed;
  for (int32_t i = warp.warp * kNodesAtATime; i < count; i += warp.warps * kNodesAtATime) {
    const FourNodes listed = *reinterpret_cast<const FourNodes*>(scratch.order + i);
    RowPiece<kPerLane> keys[kNodesAtATime];
    ReadRows(task, 2, listed, keys);
    float dots[kNodesAtATime];
    for (int32_t k = 0; k < kNodesAtATime; ++k) dots[k] = DotOfPieces(sum.glimpse, keys[k]);
    const float dot = SumOfFour(dots);
    const int32_t mine = i + LaneOfWarp() / 16 * 2 + LaneOfWarp() / 8 % 2;
    if (LaneOfWarp() % 8 == 0 && mine < count) scratch.tanhs[scratch.order[mine]] = dot;
  }
  if constexpr (kTeam) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

// Computes scratch.tanhs of the step at scratch.step.
template <int32_t kPerLane, bool kTeam>
__device__ void WriteTanhs(const DecoderWarp<kPerLane, kTeam>& warp, const DecoderTask<float>& task,
                           const DecoderScratch<float>& scratch) {
  if constexpr (kTeam) __syncthreads();
  WriteDots(warp, task, scratch);
  warp.Each(task.size(), [&](int32_t n) {
    scratch.tanhs[n] =
        scratch.allowed[n] == 0 ? 0.0f : FastTanh(scratch.tanhs[n] * task.logit_scale);
  });
}

// Scores nodes for the team's warp 0 until it calls EndTeam().
template <int32_t kPerLane>
__device__ void HelpTeam(const DecoderWarp<kPerLane, true>& warp, const DecoderTask<float>& task,
                         const DecoderScratch<float>& scratch) {
  while (true) {
    __syncthreads();
    if (*warp.memory.done != 0) return;
    WriteDots(warp, task, scratch);
  }
}

template <int32_t kPerLane>
__device__ void EndTeam(const DecoderWarp<kPerLane, true>& warp) {
  warp.Once([&] { *warp.memory.done = 1; });
  __syncthreads();
}

}  // namespace vrp
