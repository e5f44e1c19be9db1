// Forward and backward pass of the sequence transformer for a group of sequences, on one thread.
// Needs no torch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/isa.h"
#include "core/kernels/dense/dense.h"
#include "core/kernels/encoder/encoder.h"
#include "core/kernels/support/aligned_buffer.h"
#include "core/model/habits/sequence_batch.h"
#include "core/model/habits/sequence_parameters.h"
#include "core/model/policy/batch_parts.h"

namespace vrp {

// A position whose next stop the network predicts. It is in the group's sequence `sequence`.
struct PointedPosition {
  int32_t sequence = 0;
  int32_t position = 0;
  int32_t target = kNoTarget;
};

// Cycles of the time-stamp counter that a pass took, by part. For benchmarks.
struct SequenceCycles {
  EncoderCycles encoder;
  int64_t embedding = 0;      // of the tokens
  int64_t whole_encoder = 0;  // with what no part of `encoder` counts
  int64_t pointer = 0;        // keys, queries and logits
  int64_t softmax = 0;        // over the candidates, with the loss
};

// Activations and gradients of a group: the reusable memory of one thread. Shapes: B sequences, R
// tokens, K candidates (each sequence's padded to whole vectors), Q positions, H width, P padded
// inputs.
template <typename T>
struct SequenceGroup {
  InstanceRange range;
  std::vector<int32_t> first_rows;         // [B + 1], of tokens
  std::vector<int32_t> first_keys;         // [B + 1], of candidates
  std::vector<int32_t> first_positions;    // [B + 1], of `positions`
  std::vector<PointedPosition> positions;  // [Q], by sequence
  AlignedBuffer<T> inputs;                 // [R, P]
  AlignedBuffer<T> tokens;                 // [R, H]; embedded, then encoded
  AlignedBuffer<T> saved;                  // the encoder's saved activations
  AlignedBuffer<T> scratch;                // the encoder's scratch
  AlignedBuffer<T> candidates;             // [K, P]: inputs
  AlignedBuffer<T> embedded;               // [K, H]
  AlignedBuffer<T> keys;                   // [K, H]
  AlignedBuffer<T> hidden;                 // [Q, H]: the positions' rows of `tokens`
  AlignedBuffer<T> queries;                // [Q, H]
  AlignedBuffer<T> relation_queries;       // [Q, K]: weights of the relations
  AlignedBuffer<T> packed_keys;            // keys of one sequence, packed
  // The logits of each position's candidates, then their probabilities' gradients, [Q, padded C].
  AlignedBuffer<T> logits;
  std::vector<int64_t> first_logits;  // [B + 1]
  // Gradients of the group
  AlignedBuffer<T> d_tokens;            // [R, H]
  AlignedBuffer<T> d_queries;           // [Q, H]
  AlignedBuffer<T> d_relation_queries;  // [K], of one position
  AlignedBuffer<T> d_hidden;            // [Q, H]
  AlignedBuffer<T> d_keys;              // [K, H]
  AlignedBuffer<T> d_embedded;          // [K, H]
  // Gradient of the embedding, summed over the groups of a step until Finish.
  AlignedBuffer<T> d_embedding;      // [H, P]
  SequenceCycles* cycles = nullptr;  // passes add their cycles, unless null
};

// Sums over predicted positions.
struct SequenceLoss {
  double loss = 0;      // cross-entropy
  int64_t targets = 0;  // number of positions
  int64_t hits = 0;     // positions whose likeliest candidate is the target

  SequenceLoss& operator+=(const SequenceLoss& other) {
    loss += other.loss;
    targets += other.targets;
    hits += other.hits;
    return *this;
  }
};

// A network's passes over groups. Const functions may run on several threads at once, each with its
// own group.
template <typename T>
class SequencePass {
 public:
  // `options` must pass CheckSequenceOptions. `bf16` other than kNone is for float only.
  SequencePass(const SequenceTransformerOptions& options, Isa isa, Bf16 bf16);

  const SequenceTransformerOptions& options() const { return options_; }
  const ParameterLayout& layout() const { return layout_; }
  // Packs the weights. Must be called after each change of the flat `parameters`.
  void Pack(const T* parameters);

  // Encodes the sequences of `range`, and computes the logits of all positions with a target, or of
  // the last position of each sequence if `last_only`. If `keep`, stores what Backward needs.
  // `batch` must pass CheckSequenceBatch.
  void Forward(const SequenceBatch& batch, InstanceRange range, bool last_only, bool keep,
               SequenceGroup<T>& group) const;
  // Returns the sums of the group's losses. Replaces logits by the gradients of the sum of the
  // losses times `scale`. `smoothing` is the share of a target's probability that is spread evenly
  // over all candidates that can be chosen.
  SequenceLoss Loss(const SequenceBatch& batch, double smoothing, double scale,
                    SequenceGroup<T>& group) const;
  // Writes the logarithms of the candidates' probabilities at position `q` of the group to `to`
  // [C], -infinity for candidates that cannot be chosen.
  void LogProbabilities(const SequenceBatch& batch, int64_t q, const SequenceGroup<T>& group,
                        std::span<T> to) const;

  // Clears the sums. Must be called before the first group of a step.
  void ClearSums(SequenceGroup<T>& group) const;
  // Adds the gradient of the group's losses to the flat `gradient`, after Forward with `keep` and
  // Loss of the same batch.
  void Backward(const SequenceBatch& batch, SequenceGroup<T>& group, T* gradient) const;
  // Adds the sums to the flat `gradient`. Must be called after the last group of a step.
  void Finish(const SequenceGroup<T>& group, T* gradient) const;

 private:
  void PackEmbedding(const T* parameters);
  void FindPositions(const SequenceBatch& batch, bool last_only, SequenceGroup<T>& group) const;
  void Embed(const SequenceBatch& batch, SequenceGroup<T>& group) const;
  void EmbedCandidates(const SequenceBatch& batch, SequenceGroup<T>& group) const;
  EncoderGroup<T> EncoderGroupOf(const SequenceGroup<T>& group) const;
  void Point(SequenceGroup<T>& group) const;
  // Adds the relations' part to the logits.
  void Relate(const SequenceBatch& batch, SequenceGroup<T>& group) const;
  void PointBackward(SequenceGroup<T>& group, T* gradient) const;
  // Adds the relations' part to d_hidden, which PointBackward has written.
  void RelateBackward(const SequenceBatch& batch, SequenceGroup<T>& group, T* gradient) const;
  void KeysBackward(SequenceGroup<T>& group, T* gradient) const;

  const SequenceTransformerOptions options_;
  const ParameterLayout layout_;
  const DenseKernels<T>& dense_;
  std::unique_ptr<Encoder<T>> encoder_;
  const int64_t width_;
  // P: the inputs of the embedding's product, padded to whole vectors. After the features follow
  // one input per token type, so that one product adds all embeddings of types.
  const int64_t inputs_;
  const T logit_scale_;

  std::vector<T> positions_;      // [positions, H]
  std::vector<T> embedding_;      // packed [P -> H]
  std::vector<T> query_;          // packed [H -> H]
  std::vector<T> query_bias_;     // [H]
  std::vector<T> query_back_;     // packed [H -> H]
  std::vector<T> key_;            // packed [H -> H]
  std::vector<T> key_back_;       // packed [H -> H]
  std::vector<T> relation_;       // [K, H]
  std::vector<T> relation_bias_;  // [K]
};

}  // namespace vrp
