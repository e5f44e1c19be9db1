// The causal encoder, whose interface is in encoder_kernels.h. A layer is norm, causal attention,
// skip; norm, feed-forward, skip. A norm follows the last layer.
#include <cstdint>

#include "core/kernels/encoder/attention_parts.h"
#include "core/kernels/encoder/causal_attention_backward.h"
#include "core/kernels/encoder/causal_attention_kind.h"
#include "core/kernels/encoder/causal_layout.h"
#include "core/kernels/encoder/encoder_epilogues.h"
#include "core/kernels/encoder/encoder_kernels.h"
#include "core/kernels/encoder/encoder_layout.h"
#include "core/kernels/encoder/encoder_pack.h"
#include "core/kernels/encoder/encoder_products.h"
#include "core/kernels/encoder/encoder_scratch.h"
#include "core/kernels/encoder/row_norm.h"
#include "core/kernels/support/part_clock.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {
namespace {

// Number of a sequence's last rows that are one chunk of a weight's gradient.
constexpr int64_t kLastRows = kChunkRows + kChunkRows / 2;

// The norm after the last layer.
template <typename T>
NormParameters<T> TakeLastNorm(const EncoderShape& s, Memory<T>& memory) {
  return {memory.Take(s.hidden), memory.Take(s.hidden), nullptr, nullptr};
}

template <typename P>
int64_t CausalPackedSize(const EncoderShape& s) {
  Memory<ElementOf<P>> memory(nullptr);
  memory.Take(PackedLayersSize<P>(s));
  TakeLastNorm(s, memory);
  return memory.size();
}

template <typename P>
void CausalPack(const EncoderShape& s, const EncoderLayerOffsets* layers,
                const ElementOf<P>* parameters, ElementOf<P>* packed) {
  using T = ElementOf<P>;
  Memory<T> memory(packed);
  PackLayers<P>(s, layers, parameters, memory.Take(PackedLayersSize<P>(s)));
  const EncoderLayerOffsets& last = layers[s.layers];
  PackNorm<T>(parameters + last.norm1_scale, parameters + last.norm1_shift, nullptr, nullptr,
              s.hidden, TakeLastNorm(s, memory));
}

template <typename P>
NormParameters<ElementOf<P>> LastNorm(const EncoderShape& s, const ElementOf<P>* packed) {
  using T = ElementOf<P>;
  Memory<T> memory(const_cast<T*>(packed));
  memory.Take(PackedLayersSize<P>(s));
  return TakeLastNorm(s, memory);
}

template <typename P>
int64_t CausalSavedSize(const EncoderShape& s, const int32_t* first_rows, int64_t sequences) {
  using T = ElementOf<P>;
  const int64_t rows = first_rows[sequences];
  Memory<T> memory(nullptr);
  SavedRowNorm<T>(s, rows, memory);
  for (int32_t l = 0; l < s.layers; ++l) SavedCausalLayer<T>(s, rows, sequences, true, memory);
  return memory.size();
}

template <typename P>
int64_t CausalAttentionSize(const EncoderShape& s, const int32_t* first_rows, int64_t sequences) {
  return CausalAttention<P>::ScratchSize({MaxNodes(first_rows, sequences), s.hidden, s.heads, 0});
}

template <typename P>
int64_t CausalScratchSize(const EncoderShape& s, const int32_t* first_rows, int64_t sequences) {
  using T = ElementOf<P>;
  const int64_t rows = first_rows[sequences];
  const int64_t attention = CausalAttentionSize<P>(s, first_rows, sequences);
  Memory<T> forward(nullptr);
  ForwardScratch<P>(s, rows, attention, forward);
  SavedRowNorm<T>(s, rows, forward);
  SavedCausalLayer<T>(s, rows, sequences, false, forward);
  Memory<T> backward(nullptr);
  BackwardScratch<P>(s, rows, attention, backward);
  return forward.size() > backward.size() ? forward.size() : backward.size();
}

// Calls attend(call, first row) for each sequence. Leaves the calls' scratch to CausalAttention.
template <typename T, typename Attend>
void ForEachSequence(const EncoderCall<T>& call, const SavedCausalLayer<T>& saved,
                     const Attend& attend) {
  const EncoderShape& s = call.shape;
  for (int64_t b = 0; b < call.instances; ++b) {
    const int64_t first = call.first_rows[b];
    const AttentionShape shape{call.first_rows[b + 1] - first, s.hidden, s.heads, 0};
    attend(AttentionCall<T>{shape, AttentionScratch<T>(shape, nullptr),
                            saved.qkv.From(first).AsConst(), nullptr, nullptr,
                            saved.softmax + AttentionCall<T>::SoftmaxSize(first, b, s.heads)},
           first);
  }
}

template <typename T>
void NormRows(const EncoderCall<T>& call, const NormParameters<T>& norm, View<const T> x,
              const SavedRowNorm<T>& saved, View<T> y) {
  RowNormForward<T>(norm, call.first_rows[call.instances], call.shape.hidden, x, saved.normalised,
                    y, saved.inverse_std);
}

// Adds the layer's attention and feed-forward to scratch.x.
template <typename P>
void CausalLayerForward(const EncoderCall<ElementOf<P>>& call, const PackedLayer<P>& layer,
                        const SavedCausalLayer<ElementOf<P>>& saved,
                        const ForwardScratch<P>& scratch) {
  using T = ElementOf<P>;
  const int64_t h = call.shape.hidden;
  const int64_t f = call.shape.feed_forward;
  const int64_t rows = call.first_rows[call.instances];
  const View<T> x = scratch.x;
  PartClock<EncoderCycles> clock(call.cycles);
  NormRows<T>(call, layer.norm1, x.AsConst(), saved.norm1, scratch.y);
  clock.Stop(&EncoderCycles::norms);
  P::Multiply(scratch.y.AsConst(), layer.qkv, {rows, h, 3 * h, h}, scratch.work,
              StoreWithBias<T>{saved.qkv, layer.qkv_bias});
  clock.Stop(&EncoderCycles::projections);
  ForEachSequence<T>(call, saved, [&](const AttentionCall<T>& attention, int64_t first) {
    CausalAttention<P>::Forward(attention, scratch.attention, saved.attended.From(first));
  });
  clock.Stop(&EncoderCycles::attention);
  P::Multiply(saved.attended.AsConst(), layer.out, {rows, h, h, h}, scratch.work,
              StoreWithSkip<T>{x, layer.out_bias, x.AsConst()});
  clock.Stop(&EncoderCycles::projections);
  NormRows<T>(call, layer.norm2, x.AsConst(), saved.norm2, scratch.y);
  clock.Stop(&EncoderCycles::norms);
  for (int64_t first = 0; first < rows; first += kFeedRows) {
    const int64_t count = rows - first < kFeedRows ? rows - first : kFeedRows;
    const View<T> feed = saved.feed.data != nullptr ? saved.feed.From(first) : scratch.feed;
    const View<T> to = x.From(first);
    P::Multiply(scratch.y.From(first).AsConst(), layer.feed1, {count, h, f, h}, scratch.work,
                StorePositive<T>{feed, layer.feed1_bias});
    P::Multiply(feed.AsConst(), layer.feed2, {count, f, h, f}, scratch.work,
                StoreWithSkip<T>{to, layer.feed2_bias, to.AsConst()});
  }
  clock.Stop(&EncoderCycles::feed_forward);
}

template <typename P>
void CausalForward(const EncoderCall<ElementOf<P>>& call, ElementOf<P>* x, ElementOf<P>* saved,
                   ElementOf<P>* scratch) {
  using T = ElementOf<P>;
  const EncoderShape& s = call.shape;
  const int64_t rows = call.first_rows[call.instances];
  Memory<T> packed_memory(const_cast<T*>(call.packed));
  Memory<T> layers(packed_memory.Take(PackedLayersSize<P>(s)));
  Memory<T> scratch_memory(scratch);
  const ForwardScratch<P> work(s, rows, CausalAttentionSize<P>(s, call.first_rows, call.instances),
                               scratch_memory);
  Memory<T> saved_memory(saved);
  const SavedRowNorm<T> last(s, rows, saved != nullptr ? saved_memory : scratch_memory);
  const View<T> embedded = ByRows(x, s.hidden);
  CopyRows<T>(embedded.AsConst(), rows, s.hidden, work.x);
  for (int32_t l = 0; l < s.layers; ++l) {
    const PackedLayer<P> layer(s, layers);
    Memory<T> reused = scratch_memory;  // used by each layer if nothing is saved
    const SavedCausalLayer<T> values(s, rows, call.instances, saved != nullptr,
                                     saved != nullptr ? saved_memory : reused);
    CausalLayerForward<P>(call, layer, values, work);
  }
  NormRows<T>(call, LastNorm<P>(s, call.packed), work.x.AsConst(), last, embedded);
}

// Adds the gradient of a norm to `scratch.dx` and to the parameters' gradient. Reads scratch.dy.
template <typename P>
void NormRowsBackward(const EncoderCall<ElementOf<P>>& call,
                      const NormParameters<ElementOf<P>>& norm,
                      const SavedRowNorm<ElementOf<P>>& saved, const BackwardScratch<P>& scratch,
                      ElementOf<P>* d_scale, ElementOf<P>* d_shift) {
  using T = ElementOf<P>;
  RowNormBackward<T>(norm.scale, call.first_rows[call.instances], call.shape.hidden,
                     saved.normalised.AsConst(), saved.inverse_std, scratch.dy.AsConst(),
                     scratch.dx, d_scale, d_shift);
}

// Turns scratch.dx, the gradient with respect to the layer's output, into the one with respect to
// the rows after attention.
template <typename P>
void CausalFeedBackward(const EncoderCall<ElementOf<P>>& call, const PackedLayer<P>& layer,
                        const SavedCausalLayer<ElementOf<P>>& saved,
                        const BackwardScratch<P>& scratch, const EncoderLayerOffsets& offsets,
                        ElementOf<P>* gradient) {
  using T = ElementOf<P>;
  const int64_t h = call.shape.hidden;
  const int64_t f = call.shape.feed_forward;
  const int64_t rows = call.first_rows[call.instances];
  const View<const T> d = scratch.dx.AsConst();
  const View<const T> d_feed = scratch.d_feed.AsConst();
  PartClock<EncoderCycles> clock(call.cycles);
  SumColumns<T>(d, rows, h, scratch.sums, gradient + offsets.feed2_bias);
  clock.Stop(&EncoderCycles::weight_gradients);
  for (int64_t c = 0; c < f; c += kFeedColumns) {
    const int64_t width = f - c < kFeedColumns ? f - c : kFeedColumns;
    const View<const T> feed = saved.feed.Columns(c).AsConst();
    P::Multiply(d, layer.feed2_back + P::PackedSize(h, c), {rows, h, width, h}, scratch.work,
                StoreWhereActive<T>{scratch.d_feed, feed});
    clock.Stop(&EncoderCycles::feed_forward);
    P::AddGradient(d, feed, {rows, h, width, kLastRows}, scratch.work,
                   {gradient + offsets.feed2_weight + c, f});
    SumColumns<T>(d_feed, rows, width, scratch.sums, gradient + offsets.feed1_bias + c);
    P::AddGradient(d_feed, saved.norm2.normalised.AsConst(), {rows, width, h, kLastRows},
                   scratch.work,
                   {gradient + offsets.feed1_weight + c * h, h, layer.norm2.scale,
                    layer.norm2.shift, scratch.sums});
    clock.Stop(&EncoderCycles::weight_gradients);
    const PanelProduct size{rows, width, h, f, c};
    if (c == 0) {
      P::Multiply(d_feed, layer.feed1_back, size, scratch.work, StorePlain<T>{scratch.dy});
    } else {
      P::Multiply(d_feed, layer.feed1_back, size, scratch.work,
                  StoreSum<T>{scratch.dy, scratch.dy.AsConst()});
    }
    clock.Stop(&EncoderCycles::feed_forward);
  }
  NormRowsBackward<P>(call, layer.norm2, saved.norm2, scratch, gradient + offsets.norm2_scale,
                      gradient + offsets.norm2_shift);
  clock.Stop(&EncoderCycles::norms);
}

// Turns scratch.dx from the gradient with respect to the rows after attention into the one with
// respect to the layer's input.
template <typename P>
void CausalAttentionBackward(const EncoderCall<ElementOf<P>>& call, const PackedLayer<P>& layer,
                             const SavedCausalLayer<ElementOf<P>>& saved,
                             const BackwardScratch<P>& scratch, const EncoderLayerOffsets& offsets,
                             ElementOf<P>* gradient) {
  using T = ElementOf<P>;
  const int64_t h = call.shape.hidden;
  const int64_t rows = call.first_rows[call.instances];
  const View<const T> d = scratch.dx.AsConst();
  PartClock<EncoderCycles> clock(call.cycles);
  P::Multiply(d, layer.out_back, {rows, h, h, h}, scratch.work, StorePlain<T>{scratch.d_attended});
  clock.Stop(&EncoderCycles::projections);
  P::AddGradient(d, saved.attended.AsConst(), {rows, h, h, kLastRows}, scratch.work,
                 {gradient + offsets.out_weight, h});
  SumColumns<T>(d, rows, h, scratch.sums, gradient + offsets.out_bias);
  clock.Stop(&EncoderCycles::weight_gradients);
  ForEachSequence<T>(call, saved, [&](const AttentionCall<T>& attention, int64_t first) {
    CausalAttention<P>::Backward(
        attention, scratch.attention,
        {saved.attended.From(first).AsConst(), scratch.d_attended.From(first).AsConst(),
         scratch.d_qkv.From(first)});
  });
  clock.Stop(&EncoderCycles::attention);
  const View<const T> d_qkv = scratch.d_qkv.AsConst();
  SumColumns<T>(d_qkv, rows, 3 * h, scratch.sums, gradient + offsets.qkv_bias);
  P::AddGradient(
      d_qkv, saved.norm1.normalised.AsConst(), {rows, 3 * h, h, kLastRows}, scratch.work,
      {gradient + offsets.qkv_weight, h, layer.norm1.scale, layer.norm1.shift, scratch.sums});
  clock.Stop(&EncoderCycles::weight_gradients);
  P::Multiply(d_qkv, layer.qkv_back, {rows, 3 * h, h, 3 * h}, scratch.work,
              StorePlain<T>{scratch.dy});
  clock.Stop(&EncoderCycles::projections);
  NormRowsBackward<P>(call, layer.norm1, saved.norm1, scratch, gradient + offsets.norm1_scale,
                      gradient + offsets.norm1_shift);
  clock.Stop(&EncoderCycles::norms);
}

template <typename P>
void CausalBackward(const EncoderCall<ElementOf<P>>& call, ElementOf<P>* dx, ElementOf<P>* saved,
                    ElementOf<P>* scratch, ElementOf<P>* gradient) {
  using T = ElementOf<P>;
  const EncoderShape& s = call.shape;
  const int64_t h = s.hidden;
  const int64_t rows = call.first_rows[call.instances];
  Memory<T> scratch_memory(scratch);
  const BackwardScratch<P> work(s, rows, CausalAttentionSize<P>(s, call.first_rows, call.instances),
                                scratch_memory);
  const View<T> outside = ByRows(dx, h);
  CopyRows<T>(outside.AsConst(), rows, h, work.dy);
  for (int64_t c = 0; c < h; c += kLanes<T>) {
    for (int64_t r = 0; r < rows; ++r) Store<T>(work.dx.At(r, c), Vec<T>{});
  }
  {
    Memory<T> saved_memory(saved);
    const SavedRowNorm<T> last(s, rows, saved_memory);
    const EncoderLayerOffsets& offsets = call.layers[s.layers];
    NormRowsBackward<P>(call, LastNorm<P>(s, call.packed), last, work,
                        gradient + offsets.norm1_scale, gradient + offsets.norm1_shift);
  }
  for (int32_t l = s.layers - 1; l >= 0; --l) {
    // Takes the memory of all earlier layers first, because a layer's memory follows theirs.
    Memory<T> packed_memory(const_cast<T*>(call.packed));
    Memory<T> layers(packed_memory.Take(PackedLayersSize<P>(s)));
    Memory<T> saved_memory(saved);
    SavedRowNorm<T>(s, rows, saved_memory);
    for (int32_t earlier = 0; earlier < l; ++earlier) {
      PackedLayer<P>(s, layers);
      SavedCausalLayer<T>(s, rows, call.instances, true, saved_memory);
    }
    const PackedLayer<P> layer(s, layers);
    const SavedCausalLayer<T> values(s, rows, call.instances, true, saved_memory);
    CausalFeedBackward<P>(call, layer, values, work, call.layers[l], gradient);
    CausalAttentionBackward<P>(call, layer, values, work, call.layers[l], gradient);
  }
  CopyRows<T>(work.dx.AsConst(), rows, h, outside);
}

}  // namespace

template <typename P>
EncoderFunctions<ElementOf<P>> CausalFunctionsOf() {
  return {CausalPackedSize<P>,  CausalPack<P>,    CausalSavedSize<P>,
          CausalScratchSize<P>, CausalForward<P>, CausalBackward<P>};
}

template <typename T>
EncoderFunctions<T> GetCausalEncoderFunctions() {
  return CausalFunctionsOf<EncoderProducts<T>>();
}
template EncoderFunctions<float> GetCausalEncoderFunctions<float>();
#if !defined(VRP_SIMD_BF16)
template EncoderFunctions<double> GetCausalEncoderFunctions<double>();
#endif

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
