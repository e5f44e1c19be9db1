// Batches of stop sequences, made for collation into buffers that are reused. Needs no torch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vrp {

// The kind of a token.
enum class TokenType : uint8_t { kBegin = 0, kStop = 1, kEnd = 2 };
inline constexpr int32_t kTokenTypes = 3;

// A target of a position without a loss.
inline constexpr int32_t kNoTarget = -1;
// A position behind every sequence: the candidate is never visited.
inline constexpr int32_t kNeverVisited = 0x7fffffff;

// Views of a batch: B sequences of at most L tokens, and C candidates for the next stop of each
// sequence. A sequence is the tokens of a driver's earlier routes, then those of today's route; the
// candidates are today's stops and the depot, in any order. A token or candidate has F context
// features, for example place, demand, window, leg and time. What follows a sequence's length or
// its number of candidates is never read.
struct SequenceBatch {
  int32_t size = 0;                                // B
  int32_t max_length = 0;                          // L
  int32_t max_candidates = 0;                      // C
  std::span<const int32_t> lengths = {};           // [B], from 1
  std::span<const TokenType> types = {};           // [B, L]
  std::span<const float> contexts = {};            // [B, L, F]
  std::span<const float> candidates = {};          // [B, C, F]
  std::span<const int32_t> candidate_counts = {};  // [B]
  // The candidate that follows each position, or kNoTarget, [B, L]. The loss is of the positions
  // with a target, which should be those of today's route.
  std::span<const int32_t> targets = {};
  // The first position after which the candidate can no longer be chosen, [B, C]: that of its own
  // token, or kNeverVisited.
  std::span<const int32_t> visited_from = {};
  // K numbers of a position and a candidate, for example of the leg between them, [B, R, C, K]. The
  // first of a sequence's R rows is of position relation_starts[b]; positions with a target need
  // one. Only for networks with relations.
  int32_t max_rows = 0;  // R
  std::span<const float> relations = {};
  std::span<const int32_t> relation_starts = {};  // [B]
};

// The memory of a batch. Not thread-safe.
class SequenceBuffers {
 public:
  // Makes room for a batch of these sizes, and resets all lengths, counts, targets and visits.
  // Allocates only if the batch is larger than all earlier ones.
  void Reset(int32_t size, int32_t max_length, int32_t max_candidates, int32_t features,
             int32_t max_rows = 0, int32_t relations_of_a_pair = 0) {
    size_ = size;
    max_length_ = max_length;
    max_candidates_ = max_candidates;
    features_ = features;
    max_rows_ = max_rows;
    pair_ = relations_of_a_pair;
    const auto tokens = static_cast<size_t>(size) * static_cast<size_t>(max_length);
    const auto choices = static_cast<size_t>(size) * static_cast<size_t>(max_candidates);
    lengths.assign(static_cast<size_t>(size), 0);
    candidate_counts.assign(static_cast<size_t>(size), 0);
    targets.assign(tokens, kNoTarget);
    visited_from.assign(choices, kNeverVisited);
    types.resize(tokens);
    contexts.resize(tokens * static_cast<size_t>(features));
    candidates.resize(choices * static_cast<size_t>(features));
    relations.resize(choices * static_cast<size_t>(max_rows) * static_cast<size_t>(pair_));
    relation_starts.assign(static_cast<size_t>(size), 0);
  }

  SequenceBatch View() const {
    return {.size = size_,
            .max_length = max_length_,
            .max_candidates = max_candidates_,
            .lengths = lengths,
            .types = types,
            .contexts = contexts,
            .candidates = candidates,
            .candidate_counts = candidate_counts,
            .targets = targets,
            .visited_from = visited_from,
            .max_rows = max_rows_,
            .relations = relations,
            .relation_starts = relation_starts};
  }
  // Return the features of a token and of a candidate, [F].
  std::span<float> Context(int64_t sequence, int64_t position) {
    return Row(contexts, sequence * max_length_ + position);
  }
  std::span<float> Candidate(int64_t sequence, int64_t candidate) {
    return Row(candidates, sequence * max_candidates_ + candidate);
  }
  // Returns the relations of a row to all candidates, [C, K].
  std::span<float> Relations(int64_t sequence, int64_t row) {
    const int64_t size = int64_t{max_candidates_} * pair_;
    return std::span(relations).subspan(static_cast<size_t>((sequence * max_rows_ + row) * size),
                                        static_cast<size_t>(size));
  }
  // Return the index in `types` and `targets`, and in `visited_from`.
  size_t Token(int64_t sequence, int64_t position) const {
    return static_cast<size_t>(sequence * max_length_ + position);
  }
  size_t Choice(int64_t sequence, int64_t candidate) const {
    return static_cast<size_t>(sequence * max_candidates_ + candidate);
  }

  // With the shapes of SequenceBatch.
  std::vector<int32_t> lengths;
  std::vector<TokenType> types;
  std::vector<float> contexts;
  std::vector<float> candidates;
  std::vector<int32_t> candidate_counts;
  std::vector<int32_t> targets;
  std::vector<int32_t> visited_from;
  std::vector<float> relations;
  std::vector<int32_t> relation_starts;

 private:
  std::span<float> Row(std::vector<float>& rows, int64_t row) const {
    return std::span(rows).subspan(static_cast<size_t>(row * features_),
                                   static_cast<size_t>(features_));
  }

  int32_t size_ = 0;
  int32_t max_length_ = 0;
  int32_t max_candidates_ = 0;
  int32_t features_ = 0;
  int32_t max_rows_ = 0;
  int32_t pair_ = 0;
};

}  // namespace vrp
