// The decoder's scores of a step for warps that decode one trajectory each. Lane l holds the
// elements [l * kPerLane, (l + 1) * kPerLane) of the query and of the glimpse in registers, so that
// a warp reads a node's row at once. A head has 32 / M neighbouring lanes.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/decoder/row_piece.cuh"
#include "core/kernels/launch/warp_group.cuh"

namespace vrp {

// A warp that decodes with H = 32 * kPerLane, for numbers of heads that divide 32.
template <int32_t kPerLane>
class DecoderWarp : public WarpGroup {};

template <int32_t kCount>
__device__ float DotOfPieces(const RowPiece<kCount>& x, const RowPiece<kCount>& y) {
  float sum = 0;
  for (int32_t i = 0; i < kCount; ++i) sum += x.At(i) * y.At(i);
  return sum;
}

__device__ inline int32_t LaneOfWarp() { return static_cast<int32_t>(threadIdx.x) % 32; }

// Number of nodes that a warp scores at a time, whose loads and sums overlap.
inline constexpr int32_t kNodesAtATime = 4;

// Writes the allowed nodes to scratch.order, in ascending order.
__device__ inline void ListAllowed(int32_t nodes, const DecoderScratch<float>& scratch) {
  const int32_t lane = LaneOfWarp();
  int32_t count = 0;
  for (int32_t begin = 0; begin < nodes; begin += WarpLanes::kLanes) {
    const int32_t n = begin + lane;
    const bool allowed = n < nodes && scratch.allowed[n] != 0;
    const uint32_t voted = __ballot_sync(WarpLanes::kAll, allowed);
    if (allowed) scratch.order[count + __popc(voted & ((1u << lane) - 1))] = n;
    count += __popc(voted);
  }
  __syncwarp();
}

// Reads the rows of up to kNodesAtATime listed nodes from number i on; repeats the last node.
template <int32_t kPerLane>
__device__ void ReadRows(const float* rows, int64_t stride, const int32_t* order, int32_t count,
                         int32_t i, RowPiece<kPerLane> (&pieces)[kNodesAtATime]) {
  for (int32_t k = 0; k < kNodesAtATime; ++k) {
    const int32_t n = order[i + k < count ? i + k : count - 1];
    pieces[k] = PieceOf<kPerLane>(rows + n * stride, LaneOfWarp());
  }
}

// Returns this lane's piece of the step's glimpse. Computes the softmax while it reads the nodes,
// and rescales earlier terms when a larger score appears (Milakov and Gimelshein 2018).
template <int32_t kPerLane>
__device__ RowPiece<kPerLane> GlimpseInWarp(const DecoderTask<float>& task,
                                            const DecoderScratch<float>& scratch) {
  const int32_t count = scratch.step->allowed;
  const int32_t head_lanes = WarpLanes::kLanes / task.heads;
  const RouteState& state = scratch.step->state;
  const RowPiece<kPerLane> query =
      QueryPiece<kPerLane>(task, state.current, state.first, scratch.step->shares, LaneOfWarp());
  RowPiece<kPerLane> glimpse = {};
  float largest = -std::numeric_limits<float>::infinity();
  float total = 0;
  for (int32_t i = 0; i < count; i += kNodesAtATime) {
    RowPiece<kPerLane> keys[kNodesAtATime];
    RowPiece<kPerLane> values[kNodesAtATime];
    ReadRows(task.nodes.keys, task.row_stride, scratch.order, count, i, keys);
    ReadRows(task.nodes.values, task.row_stride, scratch.order, count, i, values);
    float scores[kNodesAtATime];
    for (int32_t k = 0; k < kNodesAtATime; ++k) scores[k] = DotOfPieces(query, keys[k]);
    for (int32_t offset = head_lanes / 2; offset > 0; offset /= 2) {
      for (float& score : scores) score += __shfl_xor_sync(WarpLanes::kAll, score, offset);
    }
    float next = largest;
    for (const float score : scores) next = score > next ? score : next;
    const float rescale = std::exp(largest - next);
    largest = next;
    total *= rescale;
    for (int32_t k = 0; k < kPerLane; ++k) glimpse.At(k) *= rescale;
    for (int32_t k = 0; k < kNodesAtATime; ++k) {
      const float weight = i + k < count ? std::exp(scores[k] - largest) : 0.0f;
      total += weight;
      for (int32_t h = 0; h < kPerLane; ++h) glimpse.At(h) += weight * values[k].At(h);
    }
  }
  for (int32_t k = 0; k < kPerLane; ++k) glimpse.At(k) /= total;
  return glimpse;
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

// Computes scratch.tanhs of the step at scratch.step.
template <int32_t kPerLane>
__device__ void WriteTanhs(const DecoderWarp<kPerLane>& warp, const DecoderTask<float>& task,
                           const DecoderScratch<float>& scratch) {
  ListAllowed(task.size(), scratch);
  const RowPiece<kPerLane> glimpse = GlimpseInWarp<kPerLane>(task, scratch);
  const int32_t count = scratch.step->allowed;
  for (int32_t i = 0; i < count; i += kNodesAtATime) {
    RowPiece<kPerLane> keys[kNodesAtATime];
    ReadRows(task.nodes.logit_keys, task.row_stride, scratch.order, count, i, keys);
    float dots[kNodesAtATime];
    for (int32_t k = 0; k < kNodesAtATime; ++k) dots[k] = DotOfPieces(glimpse, keys[k]);
    const float dot = SumOfFour(dots);
    const int32_t mine = i + LaneOfWarp() / 16 * 2 + LaneOfWarp() / 8 % 2;
    if (LaneOfWarp() % 8 == 0 && mine < count) scratch.tanhs[scratch.order[mine]] = dot;
  }
  warp.Wait();
  warp.Each(task.size(), [&](int32_t n) {
    scratch.tanhs[n] =
        scratch.allowed[n] == 0 ? 0.0f : std::tanh(scratch.tanhs[n] * task.logit_scale);
  });
}

}  // namespace vrp
