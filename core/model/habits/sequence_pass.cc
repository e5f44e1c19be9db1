#include "core/model/habits/sequence_pass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/kernels/support/part_clock.h"

namespace vrp {
namespace {

// Multiple to which inputs and candidates are padded.
constexpr int64_t kPadding = 16;

constexpr int64_t Padded(int64_t count) { return (count + kPadding - 1) / kPadding * kPadding; }

template <typename T>
std::unique_ptr<Encoder<T>> EncoderFor(const SequenceTransformerOptions& options,
                                       const ParameterLayout& layout, Isa isa, Bf16 bf16) {
  const EncoderShape shape = SequenceEncoderShape(options);
  std::vector<EncoderLayerOffsets> offsets = SequenceEncoderOffsets(options, layout);
  if constexpr (std::is_same_v<T, float>) {
    if (bf16 != Bf16::kNone) return MakeBf16CausalEncoder(shape, std::move(offsets), bf16);
  }
  return MakeCausalEncoder<T>(shape, std::move(offsets), isa);
}

// The candidates at a position of a sequence.
struct Choices {
  const SequenceBatch& batch;
  int64_t sequence;
  int32_t position;

  int64_t count() const { return batch.candidate_counts[sequence]; }
  // Whether the candidate can be chosen.
  bool Has(int64_t candidate) const {
    return batch.visited_from[sequence * batch.max_candidates + candidate] > position;
  }
};

// Returns the loss of a position. Replaces the logits by their gradients times `scale`.
template <typename T>
SequenceLoss LossAt(const Choices& choices, int32_t target, T smoothing, T scale, T* logits) {
  const int64_t count = choices.count();
  int64_t likeliest = target;
  int64_t allowed = 0;
  for (int64_t c = 0; c < count; ++c) {
    if (!choices.Has(c)) continue;
    ++allowed;
    if (logits[c] > logits[likeliest]) likeliest = c;
  }
  const T highest = logits[likeliest];
  const T spread = smoothing / static_cast<T>(allowed);
  const auto wanted = [&](int64_t c) { return spread + (c == target ? 1 - smoothing : T{0}); };
  T total{0};
  T mean{0};  // of the logits less the highest, weighted by the wanted probabilities
  for (int64_t c = 0; c < count; ++c) {
    if (!choices.Has(c)) continue;
    mean += (logits[c] - highest) * wanted(c);
    logits[c] = std::exp(logits[c] - highest);
    total += logits[c];
  }
  for (int64_t c = 0; c < count; ++c) {
    logits[c] = choices.Has(c) ? scale * (logits[c] / total - wanted(c)) : T{0};
  }
  return {.loss = static_cast<double>(std::log(total) - mean),
          .targets = 1,
          .hits = likeliest == target ? 1 : 0};
}

}  // namespace

template <typename T>
SequencePass<T>::SequencePass(const SequenceTransformerOptions& options, Isa isa, Bf16 bf16)
    : options_(options),
      layout_(SequenceLayout(options)),
      dense_(DenseKernelsFor<T>(isa)),
      encoder_(EncoderFor<T>(options, layout_, isa, bf16)),
      width_(options.width),
      inputs_(Padded(int64_t{options.features} + kTokenTypes)),
      logit_scale_(static_cast<T>(1 / std::sqrt(static_cast<double>(options.width)))) {}

template <typename T>
void SequencePass<T>::Pack(const T* parameters) {
  encoder_->Pack(parameters);
  PackEmbedding(parameters);
  const auto at = [&](const char* name) { return parameters + layout_.Offset(name); };
  const T* const positions = at("embed.position.weight");
  positions_.assign(positions, positions + options_.positions * width_);
  const T* const bias = at("pointer.query.bias");
  query_bias_.assign(bias, bias + width_);
  const auto pack = [&](const char* name, std::vector<T>& forward, std::vector<T>& back) {
    const DenseShape square{0, width_, width_};
    forward.resize(static_cast<size_t>(width_ * width_));
    back.resize(forward.size());
    dense_.pack(at(name), 1, width_, square, forward.data());
    dense_.pack(at(name), width_, 1, square, back.data());
  };
  pack("pointer.query.weight", query_, query_back_);
  pack("pointer.key.weight", key_, key_back_);
  if (options_.relations == 0) return;
  const T* const relation = at("pointer.relation.weight");
  relation_.assign(relation, relation + options_.relations * width_);
  const T* const relation_bias = at("pointer.relation.bias");
  relation_bias_.assign(relation_bias, relation_bias + options_.relations);
}

template <typename T>
void SequencePass<T>::PackEmbedding(const T* parameters) {
  const T* const contexts = parameters + layout_.Offset("embed.context.weight");
  const T* const types = parameters + layout_.Offset("embed.type.weight");
  std::vector<T> padded(static_cast<size_t>(inputs_ * width_), T{0});  // [in, out]
  for (int64_t out = 0; out < width_; ++out) {
    for (int64_t in = 0; in < options_.features; ++in) {
      padded[in * width_ + out] = contexts[out * options_.features + in];
    }
  }
  std::copy_n(types, kTokenTypes * width_, padded.begin() + options_.features * width_);
  embedding_.resize(padded.size());
  dense_.pack(padded.data(), width_, 1, {0, inputs_, width_}, embedding_.data());
}

template <typename T>
void SequencePass<T>::Forward(const SequenceBatch& batch, InstanceRange range, bool last_only,
                              bool keep, SequenceGroup<T>& group) const {
  group.range = range;
  PartClock<SequenceCycles> clock(group.cycles);
  FindPositions(batch, last_only, group);
  Embed(batch, group);
  clock.Stop(&SequenceCycles::embedding);
  T* const scratch = group.scratch.Grow(encoder_->ScratchSize(group.first_rows));
  T* const saved = keep ? group.saved.Grow(encoder_->SavedSize(group.first_rows)) : nullptr;
  encoder_->Forward(EncoderGroupOf(group), group.tokens.data(), saved, scratch);
  clock.Stop(&SequenceCycles::whole_encoder);
  EmbedCandidates(batch, group);
  Point(group);
  if (options_.relations > 0) Relate(batch, group);
  clock.Stop(&SequenceCycles::pointer);
}

template <typename T>
EncoderGroup<T> SequencePass<T>::EncoderGroupOf(const SequenceGroup<T>& group) const {
  return {group.first_rows, {}, group.cycles != nullptr ? &group.cycles->encoder : nullptr};
}

template <typename T>
void SequencePass<T>::FindPositions(const SequenceBatch& batch, bool last_only,
                                    SequenceGroup<T>& group) const {
  group.first_rows.assign(1, 0);
  group.first_keys.assign(1, 0);
  group.first_positions.assign(1, 0);
  group.first_logits.assign(1, 0);
  group.positions.clear();
  for (int32_t b = 0; b < group.range.count; ++b) {
    const int64_t s = group.range.first + b;
    const int32_t length = batch.lengths[s];
    const auto keys = static_cast<int32_t>(Padded(batch.candidate_counts[s]));
    for (int32_t t = last_only ? length - 1 : 0; t < length; ++t) {
      const int32_t target = last_only ? kNoTarget : batch.targets[s * batch.max_length + t];
      if (last_only || target != kNoTarget) group.positions.push_back({b, t, target});
    }
    group.first_rows.push_back(group.first_rows.back() + length);
    group.first_keys.push_back(group.first_keys.back() + keys);
    group.first_logits.push_back(group.first_logits.back() +
                                 (std::ssize(group.positions) - group.first_positions.back()) *
                                     keys);
    group.first_positions.push_back(static_cast<int32_t>(group.positions.size()));
  }
}

template <typename T>
void SequencePass<T>::Embed(const SequenceBatch& batch, SequenceGroup<T>& group) const {
  const int64_t rows = group.first_rows.back();
  const int64_t features = options_.features;
  T* const inputs = group.inputs.GrowZero(rows * inputs_);
  T* const tokens = group.tokens.Grow(rows * width_);
  for (int32_t b = 0; b < group.range.count; ++b) {
    const int64_t first = group.first_rows[b];
    const int64_t length = group.first_rows[b + 1] - first;
    const int64_t token = int64_t{group.range.first + b} * batch.max_length;
    for (int64_t t = 0; t < length; ++t) {
      T* const row = inputs + (first + t) * inputs_;
      const float* const context = batch.contexts.data() + (token + t) * features;
      for (int64_t k = 0; k < features; ++k) row[k] = static_cast<T>(context[k]);
      row[features + static_cast<int64_t>(batch.types[token + t])] = T{1};
    }
    std::copy_n(positions_.data(), length * width_, tokens + first * width_);
  }
  dense_.multiply_add({inputs, inputs_}, embedding_.data(), {rows, inputs_, width_},
                      {tokens, width_});
}

template <typename T>
void SequencePass<T>::EmbedCandidates(const SequenceBatch& batch, SequenceGroup<T>& group) const {
  const int64_t keys = group.first_keys.back();
  const int64_t features = options_.features;
  T* const inputs = group.candidates.GrowZero(keys * inputs_);
  for (int32_t b = 0; b < group.range.count; ++b) {
    const int64_t s = group.range.first + b;
    for (int64_t c = 0; c < batch.candidate_counts[s]; ++c) {
      T* const row = inputs + (group.first_keys[b] + c) * inputs_;
      const float* const from = batch.candidates.data() + (s * batch.max_candidates + c) * features;
      for (int64_t k = 0; k < features; ++k) row[k] = static_cast<T>(from[k]);
    }
  }
  dense_.multiply({inputs, inputs_}, embedding_.data(), nullptr, {keys, inputs_, width_},
                  {group.embedded.Grow(keys * width_), width_});
  dense_.multiply({group.embedded.data(), width_}, key_.data(), nullptr, {keys, width_, width_},
                  {group.keys.Grow(keys * width_), width_});
}

template <typename T>
void SequencePass<T>::Point(SequenceGroup<T>& group) const {
  const auto count = std::ssize(group.positions);
  T* const hidden = group.hidden.Grow(count * width_);
  for (int64_t q = 0; q < count; ++q) {
    const PointedPosition& at = group.positions[q];
    const int64_t row = group.first_rows[at.sequence] + at.position;
    std::copy_n(group.tokens.data() + row * width_, width_, hidden + q * width_);
  }
  T* const queries = group.queries.Grow(count * width_);
  dense_.multiply({hidden, width_}, query_.data(), query_bias_.data(), {count, width_, width_},
                  {queries, width_});
  T* const logits = group.logits.Grow(group.first_logits.back());
  for (int32_t b = 0; b < group.range.count; ++b) {
    const int64_t first = group.first_positions[b];
    const int64_t keys = group.first_keys[b + 1] - group.first_keys[b];
    const DenseShape shape{group.first_positions[b + 1] - first, width_, keys};
    T* const packed = group.packed_keys.Grow(width_ * keys);
    dense_.pack(group.keys.data() + group.first_keys[b] * width_, 1, width_, shape, packed);
    dense_.multiply({queries + first * width_, width_}, packed, nullptr, shape,
                    {logits + group.first_logits[b], keys});
  }
}

template <typename T>
SequenceLoss SequencePass<T>::Loss(const SequenceBatch& batch, double smoothing, double scale,
                                   SequenceGroup<T>& group) const {
  PartClock<SequenceCycles> clock(group.cycles);
  SequenceLoss sums;
  for (int64_t q = 0; q < std::ssize(group.positions); ++q) {
    const PointedPosition& at = group.positions[q];
    const int64_t s = group.range.first + at.sequence;
    const int64_t keys = group.first_keys[at.sequence + 1] - group.first_keys[at.sequence];
    T* const logits = group.logits.data() + group.first_logits[at.sequence] +
                      (q - group.first_positions[at.sequence]) * keys;
    for (int64_t c = 0; c < batch.candidate_counts[s]; ++c) logits[c] *= logit_scale_;
    sums += LossAt(Choices{batch, s, at.position}, at.target, static_cast<T>(smoothing),
                   static_cast<T>(scale) * logit_scale_, logits);
    std::fill(logits + batch.candidate_counts[s], logits + keys, T{0});
  }
  clock.Stop(&SequenceCycles::softmax);
  return sums;
}

template <typename T>
void SequencePass<T>::LogProbabilities(const SequenceBatch& batch, int64_t q,
                                       const SequenceGroup<T>& group, std::span<T> to) const {
  const PointedPosition& at = group.positions[q];
  const Choices choices{batch, group.range.first + at.sequence, at.position};
  const int64_t keys = group.first_keys[at.sequence + 1] - group.first_keys[at.sequence];
  const T* const logits = group.logits.data() + group.first_logits[at.sequence] +
                          (q - group.first_positions[at.sequence]) * keys;
  std::fill(to.begin(), to.end(), -std::numeric_limits<T>::infinity());
  T highest = -std::numeric_limits<T>::infinity();
  for (int64_t c = 0; c < choices.count(); ++c) {
    if (!choices.Has(c)) continue;
    to[c] = logits[c] * logit_scale_;
    highest = std::max(highest, to[c]);
  }
  T total{0};
  for (int64_t c = 0; c < choices.count(); ++c) {
    if (choices.Has(c)) total += std::exp(to[c] - highest);
  }
  const T normaliser = highest + std::log(total);
  for (int64_t c = 0; c < choices.count(); ++c) {
    if (choices.Has(c)) to[c] -= normaliser;
  }
}

template class SequencePass<float>;
template class SequencePass<double>;

}  // namespace vrp
