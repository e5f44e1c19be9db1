// State and helpers shared by rollouts, second passes and beam searches.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/attention_decoder_kernels.h"
#include "core/kernels/decoder/attention_decoder_memory.h"
#include "core/kernels/routing/routing_step.h"

namespace vrp {

// Number of nodes scored between two polls of the stop condition. Scoring them takes some tenths of
// a millisecond.
inline constexpr int64_t kNodesBetweenPolls = 20'000;

// Returns allowed node p % count of a mask with `count` allowed nodes, counted from 0.
template <typename T>
int32_t AllowedNode(const T* mask, int32_t count, int32_t p) {
  int32_t node = -1;
  for (int32_t i = p % count; i >= 0; --i) {
    do ++node;
    while (mask[node] != 0);
  }
  return node;
}

// Appends a step whose mask [padded_nodes] is already written.
template <typename T>
void AddStep(const StepRules& rules, const RouteState& state, simd::DecoderSteps<T>& steps) {
  const int32_t row = steps.count++;
  const bool start = rules.problem.tsp && state.first < 0;
  steps.currents[row] = start ? -1 : state.current;
  steps.firsts[row] = state.first;
  WriteShares(rules, state, steps.shares + int64_t{row} * kContextShares);
}

// Inputs and memory of a rollout, a second pass or a beam search.
template <typename T>
struct DecoderPass {
  const simd::DecoderKernels<T>& kernels;
  const DecoderNodes<const T>& nodes;
  simd::DecoderSizes sizes;
  StepRules rules;
  DecoderMemory<T> memory = {};
};

// Returns the choice of a row, or the first allowed node if NaN weights made the choice invalid.
template <typename T>
int32_t AllowedChoice(const simd::DecoderSizes& sizes, const simd::DecoderSteps<T>& steps,
                      int32_t row) {
  const T* const mask = steps.masks + row * sizes.padded_nodes;
  const int32_t choice = steps.choices[row];
  return mask[choice] == 0 ? choice : AllowedNode(mask, 1, 0);
}

}  // namespace vrp
