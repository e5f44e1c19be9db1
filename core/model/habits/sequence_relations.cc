// The functions of SequencePass on relations of positions and candidates.
#include <cstdint>

#include "core/model/habits/sequence_pass.h"

namespace vrp {
namespace {

// Returns the relations of a position to all candidates of its sequence, [C, K].
const float* RelationsOf(const SequenceBatch& batch, int64_t sequence, int32_t position,
                         int64_t relations) {
  const int64_t row = int64_t{position} - batch.relation_starts[sequence];
  return batch.relations.data() +
         (sequence * batch.max_rows + row) * batch.max_candidates * relations;
}

}  // namespace

template <typename T>
void SequencePass<T>::Relate(const SequenceBatch& batch, SequenceGroup<T>& group) const {
  const int64_t relations = options_.relations;
  const auto count = std::ssize(group.positions);
  T* const weights = group.relation_queries.Grow(count * relations);
  // Loss and LogProbabilities multiply by logit_scale_.
  const T scale = 1 / logit_scale_;
  for (int64_t q = 0; q < count; ++q) {
    const T* const hidden = group.hidden.data() + q * width_;
    T* const own = weights + q * relations;
    for (int64_t k = 0; k < relations; ++k) {
      T sum = relation_bias_[k];
      for (int64_t h = 0; h < width_; ++h) sum += hidden[h] * relation_[k * width_ + h];
      own[k] = sum;
    }
    const PointedPosition& at = group.positions[q];
    const int64_t sequence = group.range.first + at.sequence;
    const int64_t keys = group.first_keys[at.sequence + 1] - group.first_keys[at.sequence];
    T* const logits = group.logits.data() + group.first_logits[at.sequence] +
                      (q - group.first_positions[at.sequence]) * keys;
    const float* const from = RelationsOf(batch, sequence, at.position, relations);
    for (int64_t c = 0; c < batch.candidate_counts[sequence]; ++c) {
      T sum{0};
      for (int64_t k = 0; k < relations; ++k) {
        sum += own[k] * static_cast<T>(from[c * relations + k]);
      }
      logits[c] += scale * sum;
    }
  }
}

template <typename T>
void SequencePass<T>::RelateBackward(const SequenceBatch& batch, SequenceGroup<T>& group,
                                     T* gradient) const {
  const int64_t relations = options_.relations;
  T* const d_weight = gradient + layout_.Offset("pointer.relation.weight");
  T* const d_bias = gradient + layout_.Offset("pointer.relation.bias");
  T* const d_own = group.d_relation_queries.Grow(relations);
  const T scale = 1 / logit_scale_;
  for (int64_t q = 0; q < std::ssize(group.positions); ++q) {
    const PointedPosition& at = group.positions[q];
    const int64_t sequence = group.range.first + at.sequence;
    const int64_t keys = group.first_keys[at.sequence + 1] - group.first_keys[at.sequence];
    const T* const d_logits = group.logits.data() + group.first_logits[at.sequence] +
                              (q - group.first_positions[at.sequence]) * keys;
    const float* const from = RelationsOf(batch, sequence, at.position, relations);
    for (int64_t k = 0; k < relations; ++k) d_own[k] = 0;
    for (int64_t c = 0; c < batch.candidate_counts[sequence]; ++c) {
      const T d_logit = d_logits[c] * scale;
      for (int64_t k = 0; k < relations; ++k) {
        d_own[k] += d_logit * static_cast<T>(from[c * relations + k]);
      }
    }
    const T* const hidden = group.hidden.data() + q * width_;
    T* const d_hidden = group.d_hidden.data() + q * width_;
    for (int64_t k = 0; k < relations; ++k) {
      d_bias[k] += d_own[k];
      for (int64_t h = 0; h < width_; ++h) {
        d_weight[k * width_ + h] += d_own[k] * hidden[h];
        d_hidden[h] += d_own[k] * relation_[k * width_ + h];
      }
    }
  }
}

template void SequencePass<float>::Relate(const SequenceBatch&, SequenceGroup<float>&) const;
template void SequencePass<double>::Relate(const SequenceBatch&, SequenceGroup<double>&) const;
template void SequencePass<float>::RelateBackward(const SequenceBatch&, SequenceGroup<float>&,
                                                  float*) const;
template void SequencePass<double>::RelateBackward(const SequenceBatch&, SequenceGroup<double>&,
                                                   double*) const;

}  // namespace vrp
