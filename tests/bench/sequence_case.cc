#include "tests/bench/sequence_case.h"

#include <algorithm>

#include "core/base/random.h"

namespace vrp {
namespace {

constexpr int32_t kEarlierRoute = 40;  // tokens of an earlier route, its end among them

TokenType TypeAt(int32_t position, int32_t history) {
  if (position >= history) return position == history ? TokenType::kBegin : TokenType::kStop;
  const int32_t from_start = position % kEarlierRoute;
  if (from_start == 0) return TokenType::kBegin;
  return from_start == kEarlierRoute - 1 ? TokenType::kEnd : TokenType::kStop;
}

}  // namespace

std::vector<SequenceSample> DrawSequences(const SequenceCase& sizes) {
  CounterRandom random(7);
  const auto fill = [&](int32_t count, std::vector<float>& values) {
    values.resize(static_cast<size_t>(count) * static_cast<size_t>(sizes.features));
    for (float& value : values) value = static_cast<float>(2 * random.UniformDouble() - 1);
  };
  std::vector<SequenceSample> samples(static_cast<size_t>(sizes.samples));
  for (SequenceSample& sample : samples) {
    const int32_t range = sizes.max_tokens - sizes.min_tokens + 1;
    const auto length = static_cast<int32_t>(sizes.min_tokens + random.UniformDouble() * range);
    const int32_t history = length - 1 - sizes.today;
    fill(length, sample.contexts);
    fill(sizes.today + 1, sample.candidates);
    sample.targets.assign(static_cast<size_t>(length), kNoTarget);
    sample.visited_from.assign(static_cast<size_t>(sizes.today) + 1, kNeverVisited);
    for (int32_t t = 0; t < length; ++t) sample.types.push_back(TypeAt(t, history));
    for (int32_t i = 0; i < sizes.today; ++i) {
      sample.targets[history + i] = i;
      sample.visited_from[i] = history + 1 + i;
    }
    sample.targets[length - 1] = sizes.today;
  }
  return samples;
}

void Collate(std::span<const SequenceSample> samples, const SequenceCase& sizes,
             SequenceBuffers& buffers) {
  buffers.Reset(static_cast<int32_t>(samples.size()), sizes.max_tokens, sizes.today + 1,
                sizes.features);
  for (int64_t s = 0; s < std::ssize(samples); ++s) {
    const SequenceSample& sample = samples[s];
    buffers.lengths[s] = static_cast<int32_t>(sample.types.size());
    buffers.candidate_counts[s] = static_cast<int32_t>(sample.visited_from.size());
    const auto token = static_cast<int64_t>(buffers.Token(s, 0));
    const auto choice = static_cast<int64_t>(buffers.Choice(s, 0));
    std::ranges::copy(sample.types, buffers.types.begin() + token);
    std::ranges::copy(sample.targets, buffers.targets.begin() + token);
    std::ranges::copy(sample.contexts, buffers.contexts.begin() + token * sizes.features);
    std::ranges::copy(sample.candidates, buffers.candidates.begin() + choice * sizes.features);
    std::ranges::copy(sample.visited_from, buffers.visited_from.begin() + choice);
  }
}

}  // namespace vrp
