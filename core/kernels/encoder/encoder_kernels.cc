#include "core/kernels/encoder/encoder_kernels.h"

#include <cstdint>

#include "core/kernels/encoder/attention.h"
#include "core/kernels/encoder/attention_backward.h"
#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/encoder_epilogues.h"
#include "core/kernels/encoder/encoder_layout.h"
#include "core/kernels/encoder/encoder_pack.h"
#include "core/kernels/encoder/encoder_products.h"
#include "core/kernels/encoder/encoder_scratch.h"
#include "core/kernels/encoder/norm.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {
namespace {

template <typename P>
int64_t SavedSize(const EncoderShape& s, const int32_t* first_rows, int64_t instances) {
  const int64_t rows = first_rows[instances];
  Memory<ElementOf<P>> memory(nullptr);
  SavedGroup<ElementOf<P>>(s, first_rows, instances, memory);
  for (int32_t l = 0; l < s.layers; ++l) {
    SavedLayer<ElementOf<P>>(s, rows, instances, true, memory);
  }
  return memory.size();
}

template <typename T>
int64_t GraphAttentionSize(const EncoderShape& s, const int32_t* first_rows, int64_t instances) {
  return AttentionScratch<T>::Size(
      {MaxNodes(first_rows, instances), s.hidden, s.heads, s.edge_features});
}

template <typename P>
int64_t ScratchSize(const EncoderShape& s, const int32_t* first_rows, int64_t instances) {
  const int64_t rows = first_rows[instances];
  const int64_t attention = GraphAttentionSize<ElementOf<P>>(s, first_rows, instances);
  Memory<ElementOf<P>> forward(nullptr);
  TakeEdges(s, first_rows, instances, forward);
  ForwardScratch<P>(s, rows, attention, forward);
  SavedLayer<ElementOf<P>>(s, rows, instances, false, forward);
  Memory<ElementOf<P>> backward(nullptr);
  BackwardScratch<P>(s, rows, attention, backward);
  return forward.size() > backward.size() ? forward.size() : backward.size();
}

template <typename T>
void PackAllEdges(const EncoderCall<T>& call, T* to) {
  if (call.shape.edge_features == 0) return;
  for (int64_t b = 0; b < call.instances; ++b) {
    const int64_t nodes = call.first_rows[b + 1] - call.first_rows[b];
    PackEdges<T>(call.edges[b], call.shape.edge_features, nodes, to);
    to += PackedEdgesSize<T>(call.shape.edge_features, nodes);
  }
}

// Parameters shared by all instances' attention in a layer.
template <typename T>
struct LayerAttention {
  View<const T> qkv;
  const T* edges;
  const T* edge_weights;
  T* softmax;
  T* scratch;
};

// Calls attend(call, first row) for each instance.
template <typename T, typename Attend>
void ForEachInstance(const EncoderCall<T>& call, const LayerAttention<T>& layer,
                     const Attend& attend) {
  const EncoderShape& s = call.shape;
  const T* edges = layer.edges;
  for (int64_t b = 0; b < call.instances; ++b) {
    const int64_t first = call.first_rows[b];
    const AttentionShape shape{call.first_rows[b + 1] - first, s.hidden, s.heads, s.edge_features};
    attend(AttentionCall<T>{shape, AttentionScratch<T>(shape, layer.scratch), layer.qkv.From(first),
                            edges, layer.edge_weights,
                            layer.softmax + AttentionCall<T>::SoftmaxSize(first, b, s.heads)},
           first);
    if (s.edge_features > 0) edges += PackedEdgesSize<T>(s.edge_features, shape.nodes);
  }
}

template <typename T>
void NormAll(const EncoderCall<T>& call, const NormParameters<T>& norm, View<T> z, View<T> y,
             T* inverse_std) {
  const int64_t h = call.shape.hidden;
  for (int64_t b = 0; b < call.instances; ++b) {
    const int64_t first = call.first_rows[b];
    NormForward<T>(norm, call.first_rows[b + 1] - first, h, z.From(first), y.From(first),
                   inverse_std + b * h);
  }
}

template <typename P>
void FeedForward(const EncoderCall<ElementOf<P>>& call, const PackedLayer<P>& layer,
                 const SavedLayer<ElementOf<P>>& saved, const ForwardScratch<P>& scratch) {
  using T = ElementOf<P>;
  const int64_t h = call.shape.hidden;
  const int64_t f = call.shape.feed_forward;
  const int64_t rows = call.first_rows[call.instances];
  for (int64_t first = 0; first < rows; first += kFeedRows) {
    const int64_t count = rows - first < kFeedRows ? rows - first : kFeedRows;
    const View<T> feed = saved.feed.data != nullptr ? saved.feed.From(first) : scratch.feed;
    const View<const T> after_norm1 = scratch.y.From(first).AsConst();
    P::Multiply(after_norm1, layer.feed1, {count, h, f, h}, scratch.work,
                StorePositive<T>{feed, layer.feed1_bias});
    P::Multiply(feed.AsConst(), layer.feed2, {count, f, h, f}, scratch.work,
                StoreWithSkip<T>{saved.normalised2.From(first), layer.feed2_bias, after_norm1});
  }
}

// The rows and edges of a layer.
template <typename T>
struct LayerRows {
  View<const T> input;
  View<T> output;
  const T* edges;
};

template <typename P>
void LayerForward(const EncoderCall<ElementOf<P>>& call, const PackedLayer<P>& layer,
                  const SavedLayer<ElementOf<P>>& saved, const ForwardScratch<P>& scratch,
                  const LayerRows<ElementOf<P>>& layer_rows) {
  using T = ElementOf<P>;
  const auto [input, output, edges] = layer_rows;
  const int64_t h = call.shape.hidden;
  const int64_t rows = call.first_rows[call.instances];
  P::Multiply(input, layer.qkv, {rows, h, 3 * h, h}, scratch.work,
              StoreWithBias<T>{saved.qkv, layer.qkv_bias});
  ForEachInstance<T>(
      call, {saved.qkv.AsConst(), edges, layer.edge_weights, saved.softmax, scratch.attention},
      [&](const AttentionCall<T>& attention_call, int64_t first) {
        AttentionForward<T>(attention_call, saved.attended.From(first));
      });
  P::Multiply(saved.attended.AsConst(), layer.out, {rows, h, h, h}, scratch.work,
              StoreWithSkip<T>{saved.normalised1, layer.out_bias, input});
  NormAll(call, layer.norm1, saved.normalised1, scratch.y, saved.inverse_std1);
  FeedForward<P>(call, layer, saved, scratch);
  NormAll(call, layer.norm2, saved.normalised2, output, saved.inverse_std2);
}

template <typename P>
void Forward(const EncoderCall<ElementOf<P>>& call, ElementOf<P>* x, ElementOf<P>* saved,
             ElementOf<P>* scratch) {
  using T = ElementOf<P>;
  const EncoderShape& s = call.shape;
  const int64_t rows = call.first_rows[call.instances];
  Memory<T> packed_memory(const_cast<T*>(call.packed));
  Memory<T> scratch_memory(scratch);
  T* edges = TakeEdges(s, call.first_rows, call.instances, scratch_memory);
  const ForwardScratch<P> work(s, rows, GraphAttentionSize<T>(s, call.first_rows, call.instances),
                               scratch_memory);
  Memory<T> saved_memory(saved);
  View<T> kept_input = work.x;
  if (saved != nullptr) {
    const SavedGroup<T> kept(s, call.first_rows, call.instances, saved_memory);
    edges = kept.edges;
    kept_input = kept.input;
  }
  PackAllEdges(call, edges);
  const View<T> embedded = ByRows(x, s.hidden);
  CopyRows<T>(embedded.AsConst(), rows, s.hidden, kept_input);
  View<const T> input = kept_input.AsConst();
  for (int32_t l = 0; l < s.layers; ++l) {
    const PackedLayer<P> layer(s, packed_memory);
    Memory<T> reused = scratch_memory;  // used by each layer if nothing is saved
    const SavedLayer<T> layer_values(s, rows, call.instances, saved != nullptr,
                                     saved != nullptr ? saved_memory : reused);
    LayerForward<P>(call, layer, layer_values, work,
                    {input, l + 1 == s.layers ? embedded : work.x, edges});
    input = work.x.AsConst();
  }
}

// A layer's input in a backward pass. The layer has read channel * scale + shift of `rows`, which
// are the previous layer's normalised rows. The first layer has read the group's input as it is.
template <typename T>
struct LayerInput {
  const T* edges;
  View<const T> rows;
  const T* scale;  // null: rows are not scaled
  const T* shift;
};

template <typename T>
void NormAllBackward(const EncoderCall<T>& call, const NormParameters<T>& norm,
                     View<const T> normalised, const T* inverse_std, View<T> dy, T* d_scale,
                     T* d_shift) {
  const int64_t h = call.shape.hidden;
  for (int64_t b = 0; b < call.instances; ++b) {
    const int64_t first = call.first_rows[b];
    NormBackward<T>(norm, call.first_rows[b + 1] - first, h, normalised.From(first),
                    inverse_std + b * h, dy.From(first), d_scale, d_shift);
  }
}

// Computes scratch.dy from scratch.dx, the gradient with respect to the rows after
// the skip.
template <typename P>
void FeedBackward(const EncoderCall<ElementOf<P>>& call, const PackedLayer<P>& layer,
                  const SavedLayer<ElementOf<P>>& saved, const BackwardScratch<P>& scratch,
                  const EncoderLayerOffsets& offsets, ElementOf<P>* gradient) {
  using T = ElementOf<P>;
  const int64_t h = call.shape.hidden;
  const int64_t f = call.shape.feed_forward;
  const int64_t rows = call.first_rows[call.instances];
  const View<const T> d = scratch.dx.AsConst();
  const View<const T> d_feed = scratch.d_feed.AsConst();
  // A bias before a norm over the nodes has no effect.
  if (call.shape.norm != NormKind::kInstance) {
    SumColumns<T>(d, rows, h, scratch.sums, gradient + offsets.feed2_bias);
  }
  for (int64_t c = 0; c < f; c += kFeedColumns) {
    const int64_t width = f - c < kFeedColumns ? f - c : kFeedColumns;
    const View<const T> feed = saved.feed.Columns(c).AsConst();
    P::Multiply(d, layer.feed2_back + P::PackedSize(h, c), {rows, h, width, h}, scratch.work,
                StoreWhereActive<T>{scratch.d_feed, feed});
    P::AddGradient(d, feed, {rows, h, width}, scratch.work,
                   {gradient + offsets.feed2_weight + c, f});
    SumColumns<T>(d_feed, rows, width, scratch.sums, gradient + offsets.feed1_bias + c);
    P::AddGradient(d_feed, saved.normalised1.AsConst(), {rows, width, h}, scratch.work,
                   {gradient + offsets.feed1_weight + c * h, h, layer.norm1.scale,
                    layer.norm1.shift, scratch.sums});
    P::Multiply(d_feed, layer.feed1_back, {rows, width, h, f, c}, scratch.work,
                StoreSum<T>{scratch.dy, c == 0 ? d : scratch.dy.AsConst()});
  }
}

template <typename T>
void AddEdgeWeightGradient(const EncoderShape& s, const T* sums, T* to) {
  for (int64_t m = 0; m < s.heads; ++m, sums += PaddedFeatures(s.edge_features) * kLanes<T>) {
    for (int64_t e = 0; e < s.edge_features; ++e) *to++ += Sum<T>(Load<T>(sums + e * kLanes<T>));
  }
}

// Computes scratch.dx, with respect to the layer's input, from scratch.dy.
// NormAllBackward has made the latter the gradient with respect to the rows before the norm.
template <typename P>
void AttentionAllBackward(const EncoderCall<ElementOf<P>>& call, const PackedLayer<P>& layer,
                          const SavedLayer<ElementOf<P>>& saved, const BackwardScratch<P>& scratch,
                          const LayerInput<ElementOf<P>>& input, const EncoderLayerOffsets& offsets,
                          ElementOf<P>* gradient) {
  using T = ElementOf<P>;
  const int64_t h = call.shape.hidden;
  const int64_t rows = call.first_rows[call.instances];
  const View<const T> d = scratch.dy.AsConst();
  P::Multiply(d, layer.out_back, {rows, h, h, h}, scratch.work, StorePlain<T>{scratch.d_attended});
  P::AddGradient(d, saved.attended.AsConst(), {rows, h, h}, scratch.work,
                 {gradient + offsets.out_weight, h});
  if (call.shape.norm != NormKind::kInstance) {
    SumColumns<T>(d, rows, h, scratch.sums, gradient + offsets.out_bias);
  }
  const int64_t edge_sums = call.shape.heads * PaddedFeatures(call.shape.edge_features);
  for (int64_t e = 0; e < edge_sums; ++e)
    Store<T>(scratch.d_edge_weights + e * kLanes<T>, Vec<T>{});
  ForEachInstance<T>(
      call,
      {saved.qkv.AsConst(), input.edges, layer.edge_weights, saved.softmax, scratch.attention},
      [&](const AttentionCall<T>& attention_call, int64_t first) {
        AttentionBackward<T>(attention_call, {scratch.d_attended.From(first).AsConst(),
                                              scratch.d_qkv.From(first), scratch.d_edge_weights});
      });
  AddEdgeWeightGradient(call.shape, scratch.d_edge_weights, gradient + offsets.edge_weight);
  const View<const T> d_qkv = scratch.d_qkv.AsConst();
  SumColumns<T>(d_qkv, rows, 3 * h, scratch.sums, gradient + offsets.qkv_bias);
  P::AddGradient(d_qkv, input.rows, {rows, 3 * h, h}, scratch.work,
                 {gradient + offsets.qkv_weight, h, input.scale, input.shift, scratch.sums});
  P::Multiply(d_qkv, layer.qkv_back, {rows, 3 * h, h, 3 * h}, scratch.work,
              StoreSum<T>{scratch.dx, d});
}

template <typename P>
void Backward(const EncoderCall<ElementOf<P>>& call, ElementOf<P>* dx, ElementOf<P>* saved,
              ElementOf<P>* scratch, ElementOf<P>* gradient) {
  using T = ElementOf<P>;
  const EncoderShape& s = call.shape;
  const int64_t rows = call.first_rows[call.instances];
  Memory<T> scratch_memory(scratch);
  const BackwardScratch<P> work(s, rows, GraphAttentionSize<T>(s, call.first_rows, call.instances),
                                scratch_memory);
  CopyRows<T>(ByRows(dx, s.hidden).AsConst(), rows, s.hidden, work.dx);
  for (int32_t l = s.layers - 1; l >= 0; --l) {
    // Takes the memory of all earlier layers first, because a layer's memory follows that of the
    // earlier ones. Taking memory is cheap compared with a layer's work.
    Memory<T> packed_memory(const_cast<T*>(call.packed));
    Memory<T> saved_memory(saved);
    const SavedGroup<T> group(s, call.first_rows, call.instances, saved_memory);
    LayerInput<T> input{group.edges, group.input.AsConst(), nullptr, nullptr};
    for (int32_t earlier = 0; earlier < l; ++earlier) {
      const PackedLayer<P> layer(s, packed_memory);
      const SavedLayer<T> kept(s, rows, call.instances, true, saved_memory);
      input = {group.edges, kept.normalised2.AsConst(), layer.norm2.scale, layer.norm2.shift};
    }
    const PackedLayer<P> layer(s, packed_memory);
    const SavedLayer<T> kept(s, rows, call.instances, true, saved_memory);
    const EncoderLayerOffsets& offsets = call.layers[l];
    NormAllBackward(call, layer.norm2, kept.normalised2.AsConst(), kept.inverse_std2, work.dx,
                    gradient + offsets.norm2_scale, gradient + offsets.norm2_shift);
    FeedBackward<P>(call, layer, kept, work, offsets, gradient);
    NormAllBackward(call, layer.norm1, kept.normalised1.AsConst(), kept.inverse_std1, work.dy,
                    gradient + offsets.norm1_scale, gradient + offsets.norm1_shift);
    AttentionAllBackward<P>(call, layer, kept, work, input, offsets, gradient);
  }
  CopyRows<T>(work.dx.AsConst(), rows, s.hidden, ByRows(dx, s.hidden));
}

}  // namespace

template <typename P>
EncoderFunctions<ElementOf<P>> FunctionsOf() {
  return {PackedLayersSize<P>, PackLayers<P>, SavedSize<P>,
          ScratchSize<P>,      Forward<P>,    Backward<P>};
}

template <typename T>
EncoderFunctions<T> GetEncoderFunctions() {
  return FunctionsOf<EncoderProducts<T>>();
}
template EncoderFunctions<float> GetEncoderFunctions<float>();
#if !defined(VRP_SIMD_BF16)
template EncoderFunctions<double> GetEncoderFunctions<double>();
#endif

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
