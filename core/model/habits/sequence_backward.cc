// The backward functions of SequencePass.
#include <algorithm>

#include "core/kernels/support/part_clock.h"
#include "core/model/habits/sequence_pass.h"

namespace vrp {

template <typename T>
void SequencePass<T>::ClearSums(SequenceGroup<T>& group) const {
  group.d_embedding.GrowZero(width_ * inputs_);
}

template <typename T>
void SequencePass<T>::Backward(const SequenceBatch& batch, SequenceGroup<T>& group,
                               T* gradient) const {
  const int64_t rows = group.first_rows.back();
  PartClock<SequenceCycles> clock(group.cycles);
  T* const d_tokens = group.d_tokens.GrowZero(rows * width_);
  PointBackward(group, gradient);
  if (options_.relations > 0) RelateBackward(batch, group, gradient);
  for (int64_t q = 0; q < std::ssize(group.positions); ++q) {
    const PointedPosition& at = group.positions[q];
    const int64_t row = group.first_rows[at.sequence] + at.position;
    std::copy_n(group.d_hidden.data() + q * width_, width_, d_tokens + row * width_);
  }
  clock.Stop(&SequenceCycles::pointer);
  encoder_->Backward(EncoderGroupOf(group), d_tokens, group.saved.data(), group.scratch.data(),
                     gradient);
  clock.Stop(&SequenceCycles::whole_encoder);
  dense_.add_transposed({d_tokens, width_}, {group.inputs.data(), inputs_}, {width_, rows, inputs_},
                        {group.d_embedding.data(), inputs_});
  T* const d_positions = gradient + layout_.Offset("embed.position.weight");
  for (int32_t b = 0; b < group.range.count; ++b) {
    const T* const from = d_tokens + group.first_rows[b] * width_;
    const int64_t size = (group.first_rows[b + 1] - group.first_rows[b]) * width_;
    for (int64_t i = 0; i < size; ++i) d_positions[i] += from[i];
  }
  clock.Stop(&SequenceCycles::embedding);
}

template <typename T>
void SequencePass<T>::PointBackward(SequenceGroup<T>& group, T* gradient) const {
  const auto count = std::ssize(group.positions);
  T* const d_queries = group.d_queries.Grow(count * width_);
  T* const d_keys = group.d_keys.GrowZero(group.first_keys.back() * width_);
  for (int32_t b = 0; b < group.range.count; ++b) {
    const int64_t first = group.first_positions[b];
    const int64_t positions = group.first_positions[b + 1] - first;
    const int64_t first_key = group.first_keys[b];
    const int64_t keys = group.first_keys[b + 1] - first_key;
    const Rows<const T> d_logits{group.logits.data() + group.first_logits[b], keys};
    const DenseShape shape{positions, keys, width_};
    T* const packed = group.packed_keys.Grow(keys * width_);
    dense_.pack(group.keys.data() + first_key * width_, width_, 1, shape, packed);
    dense_.multiply(d_logits, packed, nullptr, shape, {d_queries + first * width_, width_});
    dense_.add_transposed(d_logits, {group.queries.data() + first * width_, width_},
                          {keys, positions, width_}, {d_keys + first_key * width_, width_});
  }
  T* const d_hidden = group.d_hidden.Grow(count * width_);
  dense_.multiply({d_queries, width_}, query_back_.data(), nullptr, {count, width_, width_},
                  {d_hidden, width_});
  dense_.add_transposed({d_queries, width_}, {group.hidden.data(), width_}, {width_, count, width_},
                        {gradient + layout_.Offset("pointer.query.weight"), width_});
  T* const d_bias = gradient + layout_.Offset("pointer.query.bias");
  for (int64_t q = 0; q < count; ++q) {
    for (int64_t k = 0; k < width_; ++k) d_bias[k] += d_queries[q * width_ + k];
  }
  KeysBackward(group, gradient);
}

template <typename T>
void SequencePass<T>::KeysBackward(SequenceGroup<T>& group, T* gradient) const {
  const int64_t keys = group.first_keys.back();
  const Rows<const T> d_keys{group.d_keys.data(), width_};
  const Rows<T> d_embedded{group.d_embedded.Grow(keys * width_), width_};
  dense_.multiply(d_keys, key_back_.data(), nullptr, {keys, width_, width_}, d_embedded);
  dense_.add_transposed(d_keys, {group.embedded.data(), width_}, {width_, keys, width_},
                        {gradient + layout_.Offset("pointer.key.weight"), width_});
  dense_.add_transposed({d_embedded.data, width_}, {group.candidates.data(), inputs_},
                        {width_, keys, inputs_}, {group.d_embedding.data(), inputs_});
}

template <typename T>
void SequencePass<T>::Finish(const SequenceGroup<T>& group, T* gradient) const {
  const T* const sums = group.d_embedding.data();
  const int64_t features = options_.features;
  T* const d_contexts = gradient + layout_.Offset("embed.context.weight");
  T* const d_types = gradient + layout_.Offset("embed.type.weight");
  for (int64_t out = 0; out < width_; ++out) {
    for (int64_t in = 0; in < features; ++in) {
      d_contexts[out * features + in] += sums[out * inputs_ + in];
    }
    for (int64_t type = 0; type < kTokenTypes; ++type) {
      d_types[type * width_ + out] += sums[out * inputs_ + features + type];
    }
  }
}

template void SequencePass<float>::ClearSums(SequenceGroup<float>&) const;
template void SequencePass<double>::ClearSums(SequenceGroup<double>&) const;
template void SequencePass<float>::Backward(const SequenceBatch&, SequenceGroup<float>&,
                                            float*) const;
template void SequencePass<double>::Backward(const SequenceBatch&, SequenceGroup<double>&,
                                             double*) const;
template void SequencePass<float>::Finish(const SequenceGroup<float>&, float*) const;
template void SequencePass<double>::Finish(const SequenceGroup<double>&, double*) const;

}  // namespace vrp
