// Random routes of drivers in memory, and their collation into batches of sequences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/habits/sequence_batch.h"

namespace vrp {

// A driver's earlier routes and today's, as a data set holds them.
struct SequenceSample {
  std::vector<TokenType> types;       // [length]
  std::vector<float> contexts;        // [length, F]
  std::vector<float> candidates;      // [C, F]: today's stops and the depot
  std::vector<int32_t> targets;       // [length]
  std::vector<int32_t> visited_from;  // [C]
};

// The sizes of the samples.
struct SequenceCase {
  int32_t samples = 1024;
  int32_t min_tokens = 163;
  int32_t max_tokens = 163;
  int32_t features = 10;
  int32_t today = 40;  // stops of today's route
};

// Draws samples whose lengths are uniform between the limits.
std::vector<SequenceSample> DrawSequences(const SequenceCase& sizes);

// Copies the samples into `buffers`, as the sequences of a batch. Allocates nothing if the buffers
// have held such a batch before.
void Collate(std::span<const SequenceSample> samples, const SequenceCase& sizes,
             SequenceBuffers& buffers);

}  // namespace vrp
