#include "core/kernels/simd/encoder_kernels.h"

#include <cstdint>

#include "core/kernels/simd/attention.h"
#include "core/kernels/simd/attention_backward.h"
#include "core/kernels/simd/attention_parts.h"
#include "core/kernels/simd/encoder_layout.h"
#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/norm.h"
#include "core/kernels/simd/weight_gradient.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {
namespace {

// What follows a product of rows and weights.
template <typename T>
struct StoreWithBias {
  T* to;
  int64_t stride;
  const T* bias;
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to + i * stride + j, value + Load<T>(bias + j));
  }
};
template <typename T>
struct StorePositive {
  T* to;
  int64_t stride;
  const T* bias;
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to + i * stride + j, Max<T>(value + Load<T>(bias + j), Vec<T>{}));
  }
};
template <typename T>
struct StoreWithSkip {
  T* to;
  int64_t stride;
  const T* bias;
  const T* skip;
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to + i * stride + j, value + Load<T>(bias + j) + Load<T>(skip + i * stride + j));
  }
};
// The gradient through a ReLU whose result is `active`.
template <typename T>
struct StoreWhereActive {
  T* to;
  int64_t stride;
  const T* active;
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to + i * stride + j, Load<T>(active + i * stride + j) > Vec<T>{} ? value : Vec<T>{});
  }
};

template <typename T>
int64_t PackedSize(const EncoderShape& shape) {
  Memory<T> memory(nullptr);
  for (int32_t l = 0; l < shape.layers; ++l) PackedLayer<T>(shape, memory);
  return memory.size();
}

template <typename T>
void Copy(const T* from, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i];
}

template <typename T>
void PackNorm(const T* scale, const T* shift, const T* mean, const T* variance, int64_t hidden,
              const NormParameters<T>& to) {
  Copy(scale, hidden, const_cast<T*>(to.scale));
  Copy(shift, hidden, const_cast<T*>(to.shift));
  if (to.mean == nullptr) return;
  Copy(mean, hidden, const_cast<T*>(to.mean));
  for (int64_t i = 0; i < hidden; ++i) {
    const double root = __builtin_sqrt(static_cast<double>(variance[i]) + kNormEpsilon);
    const_cast<T*>(to.root)[i] = static_cast<T>(1 / root);
  }
}

template <typename T>
void Pack(const EncoderShape& s, const EncoderLayerOffsets* layers, const T* parameters,
          T* packed) {
  Memory<T> memory(packed);
  const int64_t h = s.hidden;
  const int64_t f = s.feed_forward;
  for (int32_t l = 0; l < s.layers; ++l) {
    const EncoderLayerOffsets& from = layers[l];
    const PackedLayer<T> to(s, memory);
    const T* const p = parameters;
    PackB<T>({p + from.qkv_weight, 1, h}, h, 3 * h, to.qkv);
    PackB<T>({p + from.out_weight, 1, h}, h, h, to.out);
    PackB<T>({p + from.feed1_weight, 1, h}, h, f, to.feed1);
    PackB<T>({p + from.feed2_weight, 1, f}, f, h, to.feed2);
    PackB<T>({p + from.qkv_weight, h, 1}, 3 * h, h, to.qkv_back);
    PackB<T>({p + from.out_weight, h, 1}, h, h, to.out_back);
    PackB<T>({p + from.feed1_weight, h, 1}, f, h, to.feed1_back);
    PackB<T>({p + from.feed2_weight, f, 1}, h, f, to.feed2_back);
    Copy(p + from.qkv_bias, 3 * h, to.qkv_bias);
    Copy(p + from.out_bias, h, to.out_bias);
    Copy(p + from.feed1_bias, f, to.feed1_bias);
    Copy(p + from.feed2_bias, h, to.feed2_bias);
    Copy(p + from.edge_weight, int64_t{s.heads} * s.edge_features, to.edge_weights);
    PackNorm(p + from.norm1_scale, p + from.norm1_shift, p + from.norm1_mean,
             p + from.norm1_variance, h, to.norm1);
    PackNorm(p + from.norm2_scale, p + from.norm2_shift, p + from.norm2_mean,
             p + from.norm2_variance, h, to.norm2);
  }
}

template <typename T>
int64_t SavedSize(const EncoderShape& s, const int32_t* first_rows, int64_t instances) {
  const int64_t rows = first_rows[instances];
  Memory<T> memory(nullptr);
  memory.Take(rows * s.hidden);
  for (int32_t l = 0; l < s.layers; ++l) SavedLayer<T>(s, rows, instances, true, memory);
  return memory.size();
}

template <typename T>
int64_t ScratchSize(const EncoderShape& s, const int32_t* first_rows, int64_t instances) {
  const int64_t rows = first_rows[instances];
  const int64_t longest = LongestOf(first_rows, instances);
  Memory<T> forward(nullptr);
  ForwardScratch<T>(s, rows, longest, forward);
  SavedLayer<T>(s, rows, instances, false, forward);
  Memory<T> backward(nullptr);
  BackwardScratch<T>(s, rows, longest, backward);
  return forward.size() > backward.size() ? forward.size() : backward.size();
}

template <typename T>
AttentionShape ShapeOfInstance(const EncoderCall<T>& call, int64_t b) {
  return {call.first_rows[b + 1] - call.first_rows[b], call.shape.hidden, call.shape.heads,
          call.shape.edge_features};
}

template <typename T>
void NormAll(const EncoderCall<T>& call, const NormParameters<T>& norm, T* z, T* y, T* root) {
  const int64_t h = call.shape.hidden;
  for (int64_t b = 0; b < call.instances; ++b) {
    const int64_t first = call.first_rows[b] * h;
    NormForward<T>(norm, call.first_rows[b + 1] - call.first_rows[b], h, z + first, y + first,
                   root + b * h);
  }
}

template <typename T>
void LayerForward(const EncoderCall<T>& call, const PackedLayer<T>& layer,
                  const SavedLayer<T>& saved, const ForwardScratch<T>& scratch, const T* input,
                  T* output) {
  const int64_t h = call.shape.hidden;
  const int64_t f = call.shape.feed_forward;
  const int64_t rows = call.first_rows[call.instances];
  Multiply<T>({input, h, 1}, {layer.qkv, 0, true}, rows, h, 3 * h,
              StoreWithBias<T>{saved.qkv, 3 * h, layer.qkv_bias});
  for (int64_t b = 0; b < call.instances; ++b) {
    const AttentionShape shape = ShapeOfInstance(call, b);
    const int64_t first = call.first_rows[b];
    AttentionForward<T>(shape, saved.qkv + first * 3 * h,
                        shape.edge_features > 0 ? call.edges[b] : nullptr, layer.edge_weights,
                        AttentionScratch<T>(shape, scratch.attention), saved.attended + first * h,
                        saved.log_sums + first, rows);
  }
  Multiply<T>({saved.attended, h, 1}, {layer.out, 0, true}, rows, h, h,
              StoreWithSkip<T>{saved.normalised1, h, layer.out_bias, input});
  NormAll(call, layer.norm1, saved.normalised1, scratch.between, saved.root1);
  for (int64_t first = 0; first < rows; first += kFeedRows) {
    const int64_t count = rows - first < kFeedRows ? rows - first : kFeedRows;
    T* const feed = saved.feed != nullptr ? saved.feed + first * f : scratch.feed;
    const T* const between = scratch.between + first * h;
    Multiply<T>({between, h, 1}, {layer.feed1, 0, true}, count, h, f,
                StorePositive<T>{feed, f, layer.feed1_bias});
    Multiply<T>({feed, f, 1}, {layer.feed2, 0, true}, count, f, h,
                StoreWithSkip<T>{saved.normalised2 + first * h, h, layer.feed2_bias, between});
  }
  NormAll(call, layer.norm2, saved.normalised2, output, saved.root2);
}

template <typename T>
void Forward(const EncoderCall<T>& call, T* x, T* saved, T* scratch) {
  const EncoderShape& s = call.shape;
  const int64_t rows = call.first_rows[call.instances];
  Memory<T> packed_memory(const_cast<T*>(call.packed));
  Memory<T> scratch_memory(scratch);
  const ForwardScratch<T> work(s, rows, LongestOf(call.first_rows, call.instances), scratch_memory);
  Memory<T> saved_memory(saved);
  T* const kept_input = saved != nullptr ? saved_memory.Take(rows * s.hidden) : work.input;
  Copy(x, rows * s.hidden, kept_input);
  const T* input = kept_input;
  for (int32_t l = 0; l < s.layers; ++l) {
    const PackedLayer<T> layer(s, packed_memory);
    Memory<T> reused = scratch_memory;  // a layer's, when nothing is saved
    const SavedLayer<T> keep(s, rows, call.instances, saved != nullptr,
                             saved != nullptr ? saved_memory : reused);
    LayerForward(call, layer, keep, work, input, l + 1 == s.layers ? x : work.input);
    input = work.input;
  }
}

template <typename T>
void NormAllBackward(const EncoderCall<T>& call, const NormParameters<T>& norm, const T* normalised,
                     const T* root, T* dy, T* d_scale, T* d_shift) {
  const int64_t h = call.shape.hidden;
  for (int64_t b = 0; b < call.instances; ++b) {
    const int64_t first = call.first_rows[b] * h;
    NormBackward<T>(norm, call.first_rows[b + 1] - call.first_rows[b], h, normalised + first,
                    root + b * h, dy + first, d_scale, d_shift);
  }
}

// scratch.gradient: from that by the rows after the skip to that by the rows after the first norm.
template <typename T>
void FeedBackward(const EncoderCall<T>& call, const PackedLayer<T>& layer,
                  const SavedLayer<T>& saved, const BackwardScratch<T>& scratch,
                  const EncoderLayerOffsets& offsets, T* gradient) {
  const int64_t h = call.shape.hidden;
  const int64_t f = call.shape.feed_forward;
  const int64_t rows = call.first_rows[call.instances];
  // A bias before a norm over the nodes changes nothing.
  const bool biased = call.shape.norm != NormKind::kInstance;
  for (int64_t first = 0; first < rows; first += kGradientRows) {
    const int64_t count = rows - first < kGradientRows ? rows - first : kGradientRows;
    T* const d = scratch.gradient + first * h;
    const T* const feed = saved.feed + first * f;
    Multiply<T>({d, h, 1}, {layer.feed2_back, 0, true}, count, h, f,
                StoreWhereActive<T>{scratch.d_feed, f, feed});
    AddWeightGradient<T>(d, h, {feed, f}, f, count, gradient + offsets.feed2_weight,
                         biased ? gradient + offsets.feed2_bias : nullptr, scratch.weights);
    AddWeightGradient<T>(
        scratch.d_feed, f, {saved.normalised1 + first * h, h, layer.norm1.scale, layer.norm1.shift},
        h, count, gradient + offsets.feed1_weight, gradient + offsets.feed1_bias, scratch.weights);
    Multiply<T>({scratch.d_feed, f, 1}, {layer.feed1_back, 0, true}, count, f, h, AddTo<T>{d, h});
  }
}

// scratch.gradient: from that by the rows after the skip to that by the layer's input.
template <typename T>
void AttentionAllBackward(const EncoderCall<T>& call, const PackedLayer<T>& layer,
                          const SavedLayer<T>& saved, const BackwardScratch<T>& scratch,
                          const GradientInput<T>& input, const EncoderLayerOffsets& offsets,
                          T* gradient) {
  const int64_t h = call.shape.hidden;
  const int64_t rows = call.first_rows[call.instances];
  const bool biased = call.shape.norm != NormKind::kInstance;
  Multiply<T>({scratch.gradient, h, 1}, {layer.out_back, 0, true}, rows, h, h,
              StoreTo<T>{scratch.d_attended, h});
  AddWeightGradient<T>(scratch.gradient, h, {saved.attended, h}, h, rows,
                       gradient + offsets.out_weight,
                       biased ? gradient + offsets.out_bias : nullptr, scratch.weights);
  for (int64_t b = 0; b < call.instances; ++b) {
    const AttentionShape shape = ShapeOfInstance(call, b);
    const int64_t first = call.first_rows[b];
    AttentionBackward<T>(shape, saved.qkv + first * 3 * h,
                         shape.edge_features > 0 ? call.edges[b] : nullptr, layer.edge_weights,
                         AttentionScratch<T>(shape, scratch.attention), saved.log_sums + first,
                         rows, scratch.d_attended + first * h, scratch.d_qkv + first * 3 * h,
                         gradient + offsets.edge_weight);
  }
  AddWeightGradient<T>(scratch.d_qkv, 3 * h, input, h, rows, gradient + offsets.qkv_weight,
                       gradient + offsets.qkv_bias, scratch.weights);
  Multiply<T>({scratch.d_qkv, 3 * h, 1}, {layer.qkv_back, 0, true}, rows, 3 * h, h,
              AddTo<T>{scratch.gradient, h});
}

template <typename T>
void Backward(const EncoderCall<T>& call, T* dx, T* saved, T* scratch, T* gradient) {
  const EncoderShape& s = call.shape;
  const int64_t rows = call.first_rows[call.instances];
  const int64_t size = rows * s.hidden;
  Memory<T> scratch_memory(scratch);
  const BackwardScratch<T> work(s, rows, LongestOf(call.first_rows, call.instances),
                                scratch_memory);
  Copy(dx, size, work.gradient);
  for (int32_t l = s.layers - 1; l >= 0; --l) {
    // All layers up to this one, since pieces are found by counting: cheap beside a layer's work.
    Memory<T> packed_memory(const_cast<T*>(call.packed));
    Memory<T> saved_memory(saved);
    GradientInput<T> input{saved_memory.Take(size), s.hidden};
    for (int32_t before = 0; before < l; ++before) {
      const PackedLayer<T> layer(s, packed_memory);
      const SavedLayer<T> kept(s, rows, call.instances, true, saved_memory);
      input = {kept.normalised2, s.hidden, layer.norm2.scale, layer.norm2.shift};
    }
    const PackedLayer<T> layer(s, packed_memory);
    const SavedLayer<T> kept(s, rows, call.instances, true, saved_memory);
    const EncoderLayerOffsets& offsets = call.layers[l];
    NormAllBackward(call, layer.norm2, kept.normalised2, kept.root2, work.gradient,
                    gradient + offsets.norm2_scale, gradient + offsets.norm2_shift);
    FeedBackward(call, layer, kept, work, offsets, gradient);
    NormAllBackward(call, layer.norm1, kept.normalised1, kept.root1, work.gradient,
                    gradient + offsets.norm1_scale, gradient + offsets.norm1_shift);
    AttentionAllBackward(call, layer, kept, work, input, offsets, gradient);
  }
  Copy(work.gradient, size, dx);
}

}  // namespace

template <typename T>
EncoderFunctions<T> GetEncoderFunctions() {
  return {PackedSize<T>, Pack<T>, SavedSize<T>, ScratchSize<T>, Forward<T>, Backward<T>};
}
template EncoderFunctions<float> GetEncoderFunctions<float>();
template EncoderFunctions<double> GetEncoderFunctions<double>();

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
