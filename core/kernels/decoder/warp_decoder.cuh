// Steps of a rollout by warps, for RollOut() in decoder_program_rollout.h. These overloads replace
// those for any group.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "core/kernels/decoder/decoder_program_rollout.h"
#include "core/kernels/decoder/warp_attention.cuh"

namespace vrp {

// Fills scratch.allowed, counts the allowed nodes, and writes the shares. Calls
// each(word, bits) for every 32 nodes, whose bits say which are allowed.
template <typename Each>
__device__ void FindAllowedInWarp(const DecoderTask<float>& task,
                                  const DecoderScratch<float>& scratch, const Each& each) {
  const RouteState& state = scratch.step->state;
  int32_t count = 0;
  for (int32_t word = 0; word * WarpLanes::kLanes < task.size(); ++word) {
    const int32_t n = word * WarpLanes::kLanes + LaneOfWarp();
    const bool allowed = n < task.size() && IsAllowed(*task.rules, state, scratch.visited, n);
    const uint32_t bits = __ballot_sync(WarpLanes::kAll, allowed);
    if (n < task.size()) scratch.allowed[n] = allowed ? 1 : 0;
    each(word, bits);
    count += __popc(bits);
  }
  WarpLanes().Once([&] {
    scratch.step->allowed = count;
    WriteShares(*task.rules, state, scratch.step->shares);
  });
}

// Also fills scratch.order.
template <int32_t kSize, bool kTeam, typename Row>
__device__ void FindAllowed(const DecoderWarp<kSize, kTeam, Row>&, const DecoderTask<float>& task,
                            const DecoderScratch<float>& scratch) {
  const int32_t lane = LaneOfWarp();
  int32_t count = 0;
  FindAllowedInWarp(task, scratch, [&](int32_t word, uint32_t bits) {
    if ((bits >> lane & 1) != 0) {
      const int32_t before = __popc(bits & ((1u << lane) - 1));
      scratch.order[count + before] = word * WarpLanes::kLanes + lane;
    }
    count += __popc(bits);
  });
  if (lane < kNodesAtATime - 1) scratch.order[count + lane] = 0;
  __syncwarp();
}

// Returns an integer that is smaller for larger numbers.
__device__ inline int32_t ReversedOrder(float value) {
  const auto bits = std::bit_cast<int32_t>(value);
  return ~(bits ^ ((bits >> 31) & 0x7FFFFFFF));
}
__device__ inline float OfReversedOrder(int32_t order) {
  const int32_t bits = ~order;
  return std::bit_cast<float>(bits ^ ((bits >> 31) & 0x7FFFFFFF));
}

// Computes scratch.tanhs and exps, and the step's largest logit, total and likeliest node, from the
// dot products in scratch.tanhs.
__device__ inline void ScoreDots(const DecoderTask<float>& task,
                                 const DecoderScratch<float>& scratch) {
  constexpr float kForbidden = -std::numeric_limits<float>::infinity();
  const WarpLanes lanes;
  float own_largest = kForbidden;
  lanes.Each(task.size(), [&](int32_t n) {
    const bool allowed = scratch.allowed[n] != 0;
    const float tanh = allowed ? FastTanh(scratch.tanhs[n] * task.logit_scale) : 0;
    scratch.tanhs[n] = tanh;
    const float logit = allowed ? task.clip * tanh : kForbidden;
    own_largest = logit > own_largest ? logit : own_largest;
  });
  // Reductions of integers are faster than exchanges of floats.
  const float largest =
      OfReversedOrder(__reduce_min_sync(WarpLanes::kAll, ReversedOrder(own_largest)));
  const int32_t likeliest = lanes.First(task.size(), [&](int32_t n) {
    return scratch.allowed[n] != 0 && task.clip * scratch.tanhs[n] == largest;
  });
  const auto total = lanes.template Sum<float>(task.size(), [&](int32_t n) {
    const float exp = FastExp2((task.clip * scratch.tanhs[n] - largest) * kLog2E);
    return scratch.exps[n] = scratch.allowed[n] == 0 ? 0 : exp;
  });
  lanes.Once([&] {
    scratch.step->largest = largest;
    scratch.step->likeliest = likeliest;
    scratch.step->total = total;
  });
}

template <int32_t kSize, bool kTeam, typename Row>
__device__ void ScoreStep(const DecoderWarp<kSize, kTeam, Row>& warp,
                          const DecoderTask<float>& task, const DecoderScratch<float>& scratch) {
  if constexpr (kTeam) warp.WaitForTeam();
  WriteDots(warp, task, scratch);
  ScoreDots(task, scratch);
}

// Scores nodes for the team's warp 0 until it calls EndTeam().
template <typename Warp>
__device__ void HelpTeam(const Warp& warp, const DecoderTask<float>& task,
                         const DecoderScratch<float>& scratch) {
  while (true) {
    warp.WaitForTeam();
    if (*warp.memory.done != 0) return;
    WriteDots(warp, task, scratch);
  }
}

template <typename Warp>
__device__ void EndTeam(const Warp& warp) {
  warp.Once([&] { *warp.memory.done = 1; });
  warp.WaitForTeam();
}

}  // namespace vrp
