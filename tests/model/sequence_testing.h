// Random batches of stop sequences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/model/habits/sequence_batch.h"
#include "core/model/habits/sequence_parameters.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp::test {

inline void FillRandom(std::span<float> values, CounterRandom& random) {
  for (float& value : values) value = static_cast<float>(2 * random.UniformDouble() - 1);
}

// Fills sequence `s` with `history` tokens of earlier routes, a token of today's beginning, and
// `today` stops, all of which but the last are visited. The candidates are today's stops in random
// order, and the depot as the last one; the targets are those of today's positions.
inline void FillSequence(SequenceBuffers& buffers, int32_t s, int32_t history, int32_t today,
                         CounterRandom& random) {
  const int32_t length = history + 1 + today;
  buffers.lengths[s] = length;
  buffers.candidate_counts[s] = today + 1;
  std::vector<int32_t> order(static_cast<size_t>(today));
  for (int32_t i = 0; i < today; ++i) order[i] = i;
  random.Shuffle(std::span<int32_t>(order));
  for (int32_t t = 0; t < length; ++t) {
    FillRandom(buffers.Context(s, t), random);
    buffers.types[buffers.Token(s, t)] =
        t == history ? TokenType::kBegin
                     : (t < history && t % 5 == 4 ? TokenType::kEnd : TokenType::kStop);
  }
  for (int32_t c = 0; c <= today; ++c) FillRandom(buffers.Candidate(s, c), random);
  for (int32_t i = 0; i < today; ++i) {
    buffers.targets[buffers.Token(s, history + i)] = order[i];
    buffers.visited_from[buffers.Choice(s, order[i])] = history + 1 + i;
  }
  buffers.targets[buffers.Token(s, length - 1)] = today;
}

// Makes a batch of sequences with the given numbers of today's stops. Content behind lengths and
// counts is random too.
inline SequenceBuffers RandomSequences(const std::vector<int32_t>& today, int32_t features,
                                       uint64_t seed = 1) {
  CounterRandom random(seed, 5);
  const int32_t most = *std::max_element(today.begin(), today.end());
  SequenceBuffers buffers;
  buffers.Reset(static_cast<int32_t>(today.size()), 3 * most + 6, most + 3, features);
  FillRandom(buffers.contexts, random);
  FillRandom(buffers.candidates, random);
  for (size_t s = 0; s < today.size(); ++s) {
    const auto history = static_cast<int32_t>(random.UniformDouble() * 2 * most);
    FillSequence(buffers, static_cast<int32_t>(s), history, today[s], random);
  }
  return buffers;
}

// Returns random parameters, none of which is 0 or 1 for all elements.
inline std::vector<double> RandomSequenceParameters(const SequenceTransformerOptions& options,
                                                    uint64_t seed = 3) {
  const FlatParameters initial(SequenceLayout(options), seed);
  CounterRandom random(seed, 9);
  std::vector<double> values(initial.values().begin(), initial.values().end());
  for (double& value : values) value += 0.2 * (2 * random.UniformDouble() - 1);
  return values;
}

}  // namespace vrp::test
