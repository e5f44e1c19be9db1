// The decoder's scores of a step for warps that decode one trajectory each, or for teams of warps
// that decode one together. Lane l holds the elements [l * kPerLane, (l + 1) * kPerLane) of the
// query and of the glimpse in registers, so that a warp reads a node's row at once. A head has
// 32 / M neighbouring lanes. Shared memory begins with the instance's keys, values and logit keys,
// [3, N, H].
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/decoder/row_piece.cuh"
#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/fast_math.cuh"
#include "core/kernels/launch/warp_group.cuh"

namespace vrp {

// The shared memory by which the warps of a team exchange results: the largest score, the sum of
// the weights and the glimpse of each warp's nodes, [warps, 2 + kPerLane, 32].
struct TeamMemory {
  float* parts = nullptr;
  int32_t* done = nullptr;  // 1 when the team's trajectories are decoded
};

// A warp that decodes with H = 32 * kSize, for numbers of heads that divide 32. If `kIsTeam`, all
// warps of the block score the nodes of each step. Warp 0 does everything else; the others run
// HelpTeam(). RowValue is the type of the rows in shared memory, float or Bf16Value.
template <int32_t kSize, bool kIsTeam, typename RowValue>
struct DecoderWarp : WarpGroup {
  static constexpr int32_t kPerLane = kSize;
  static constexpr bool kTeam = kIsTeam;
  using Piece = RowPiece<kSize>;
  using Row = RowValue;

  int32_t warp = 0;  // this warp's number in its team, and the number of the team's warps
  int32_t warps = 1;
  TeamMemory memory = {};

  // Waits for the other warps of the team, which may be in other loops.
  __device__ void WaitForTeam() const {
    constexpr int32_t kBarrier = 1;
    WaitAtBarrier(kBarrier, warps * WarpLanes::kLanes);
  }
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

// Reads the rows of the listed nodes from number i on, of array `which` in shared memory.
template <typename Warp>
__device__ void ReadRows(const DecoderTask<float>& task, int32_t which, const FourNodes& listed,
                         typename Warp::Piece (&pieces)[kNodesAtATime]) {
  constexpr int32_t kHidden = WarpLanes::kLanes * Warp::kPerLane;
  const auto* const rows =
      reinterpret_cast<const typename Warp::Row*>(SharedBytes()) + which * task.size() * kHidden;
  for (int32_t k = 0; k < kNodesAtATime; ++k) {
    pieces[k] = PieceOf<Warp::kPerLane>(rows + listed.nodes[k] * kHidden, LaneOfWarp());
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
template <typename Warp>
__device__ PartialGlimpse<Warp::kPerLane> AttendInWarp(const Warp& warp,
                                                       const DecoderTask<float>& task,
                                                       const DecoderScratch<float>& scratch) {
  const int32_t count = scratch.step->allowed;
  const int32_t head_lanes = WarpLanes::kLanes / task.heads;
  const RouteState& state = scratch.step->state;
  auto query = QueryPiece<Warp::kPerLane>(task, state.current, state.first, scratch.step->shares,
                                          LaneOfWarp());
  for (int32_t k = 0; k < Warp::kPerLane; ++k) query.At(k) *= kLog2E;
  PartialGlimpse<Warp::kPerLane> sum;
  for (int32_t i = warp.warp * kNodesAtATime; i < count; i += warp.warps * kNodesAtATime) {
    const FourNodes listed = *reinterpret_cast<const FourNodes*>(scratch.order + i);
    typename Warp::Piece keys[kNodesAtATime];
    typename Warp::Piece values[kNodesAtATime];
    ReadRows<Warp>(task, 0, listed, keys);
    ReadRows<Warp>(task, 1, listed, values);
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
      for (int32_t h = 0; h < Warp::kPerLane; ++h) {
        sum.glimpse.At(h) += weight * values[k].At(h);
      }
    }
  }
  return sum;
}

// Joins the glimpses of a team's warps.
template <typename Warp>
__device__ PartialGlimpse<Warp::kPerLane> JoinTeam(const Warp& warp,
                                                   const PartialGlimpse<Warp::kPerLane>& own) {
  constexpr int32_t kLanes = WarpLanes::kLanes;
  constexpr int32_t kSize = (2 + Warp::kPerLane) * kLanes;
  float* const mine = warp.memory.parts + warp.warp * kSize + LaneOfWarp();
  mine[0] = own.largest;
  mine[kLanes] = own.total;
  for (int32_t k = 0; k < Warp::kPerLane; ++k) mine[(2 + k) * kLanes] = own.glimpse.At(k);
  warp.WaitForTeam();
  PartialGlimpse<Warp::kPerLane> sum;
  const float* const first = warp.memory.parts + LaneOfWarp();
  for (int32_t w = 0; w < warp.warps; ++w) {
    sum.largest = first[w * kSize] > sum.largest ? first[w * kSize] : sum.largest;
  }
  for (int32_t w = 0; w < warp.warps; ++w) {
    const float* const part = first + w * kSize;
    const float factor = FastExp2(part[0] - sum.largest);
    sum.total += factor * part[kLanes];
    for (int32_t k = 0; k < Warp::kPerLane; ++k) {
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
template <typename Warp>
__device__ void WriteDots(const Warp& warp, const DecoderTask<float>& task,
                          const DecoderScratch<float>& scratch) {
  auto sum = AttendInWarp(warp, task, scratch);
  if constexpr (Warp::kTeam) sum = JoinTeam(warp, sum);
  const float factor = FastReciprocal(sum.total);
  for (int32_t k = 0; k < Warp::kPerLane; ++k) sum.glimpse.At(k) *= factor;
  const int32_t count = scratch.step->allowed;
  for (int32_t i = warp.warp * kNodesAtATime; i < count; i += warp.warps * kNodesAtATime) {
    const FourNodes listed = *reinterpret_cast<const FourNodes*>(scratch.order + i);
    typename Warp::Piece keys[kNodesAtATime];
    ReadRows<Warp>(task, 2, listed, keys);
    float dots[kNodesAtATime];
    for (int32_t k = 0; k < kNodesAtATime; ++k) dots[k] = DotOfPieces(sum.glimpse, keys[k]);
    const float dot = SumOfFour(dots);
    const int32_t mine = i + LaneOfWarp() / 16 * 2 + LaneOfWarp() / 8 % 2;
    if (LaneOfWarp() % 8 == 0 && mine < count) scratch.tanhs[scratch.order[mine]] = dot;
  }
  if constexpr (Warp::kTeam) {
    warp.WaitForTeam();
  } else {
    __syncwarp();
  }
}

}  // namespace vrp
