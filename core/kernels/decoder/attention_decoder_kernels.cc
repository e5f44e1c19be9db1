#include "core/kernels/decoder/attention_decoder_kernels.h"

#include "core/kernels/decoder/attention_decoder_block.h"
#include "core/kernels/decoder/attention_decoder_choice.h"
#include "core/kernels/decoder/attention_decoder_gradient.h"
#include "core/kernels/decoder/attention_decoder_row.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {
namespace {

// Maximum number of steps beyond whole vectors that are scored one by one. A vector of steps takes
// as long as half as many single steps.
template <typename T>
constexpr int64_t kMaxSingleSteps = kLanes<T> / 2 - 1;
// Maximum number of nodes for which the attention weights of all heads of a large block fit into
// the L2 cache.
constexpr int64_t kManyNodes = 256;

int64_t RoundUp(int64_t count, int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

template <typename T>
DecoderSizes Sizes(const DecoderShape& shape, int64_t nodes) {
  DecoderSizes sizes;
  sizes.nodes = nodes;
  sizes.padded_nodes = RoundUp(nodes, kLanes<T>);
  sizes.hidden = shape.hidden;
  sizes.heads = shape.heads;
  sizes.head = shape.hidden / shape.heads;
  sizes.padded_head = RoundUp(sizes.head, kLanes<T>);
  sizes.width = sizes.heads * sizes.padded_head;
  sizes.row = sizes.width + 64 / static_cast<int64_t>(sizeof(T));
  sizes.block = (nodes > kManyNodes ? 1 : kMaxVectors<T>)*kLanes<T>;
  sizes.clip = shape.clip;
  return sizes;
}

template <typename T>
int64_t Scratch(const DecoderSizes& sizes, bool gradient) {
  const int64_t block = LayOut<T>(sizes, gradient, nullptr).size;
  const int64_t row = LayOutRow<T>(sizes, nullptr).size;
  return block > row ? block : row;
}

template <typename T>
void CopyRow(const DecoderSizes& sizes, const T* from, T* to) {
  if (sizes.head != sizes.padded_head) {
    for (int64_t i = 0; i < sizes.width; ++i) to[i] = 0;
  }
  VisitHeads<T>(sizes, [&](int64_t at, int64_t padded, int64_t lanes) {
    Store<T>(to + padded, LoadSome<T>(from + at, lanes));
  });
}

// Transposes [N, row] to [width, padded_nodes]. Padding repeats the last node and is masked.
template <typename T>
void WriteColumns(const DecoderSizes& sizes, const T* rows, T* columns) {
  for (int64_t n = 0; n < sizes.nodes; n += kLanes<T>) {
    for (int64_t i = 0; i < sizes.width; i += kLanes<T>) {
      TransposeTile<T>(rows + n * sizes.row + i, sizes.row, sizes.nodes - 1 - n,
                       columns + i * sizes.padded_nodes + n, sizes.padded_nodes);
    }
  }
}

template <typename T>
void Pack(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes, const PackedNodes<T>& to) {
  for (int64_t n = 0; n < sizes.nodes; ++n) {
    CopyRow<T>(sizes, nodes.keys + n * nodes.stride, to.keys + n * sizes.row);
    CopyRow<T>(sizes, nodes.values + n * nodes.stride, to.values + n * sizes.row);
    CopyRow<T>(sizes, nodes.logit_keys + n * nodes.stride, to.logit_keys + n * sizes.row);
  }
  if (to.key_columns == nullptr) return;
  WriteColumns<T>(sizes, to.keys, to.key_columns);
  WriteColumns<T>(sizes, to.logit_keys, to.logit_key_columns);
}

// Returns the steps from `first` on.
template <typename T>
DecoderSteps<T> StepsFrom(const DecoderSizes& sizes, DecoderSteps<T> steps, int64_t first) {
  steps.count -= static_cast<int32_t>(first);
  steps.currents += first;
  steps.firsts += first;
  steps.shares += first * kContextShares;
  steps.masks += first * sizes.padded_nodes;
  steps.choices += first;
  steps.uniforms += first;
  steps.likeliest += first;
  steps.log_likelihoods += first;
  if (steps.scores != nullptr) steps.scores += first * sizes.padded_nodes;
  return steps;
}

template <int64_t kVectors, typename T>
void ChooseBlock(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                 const PackedNodes<T>& packed, const DecoderSteps<T>& steps, T* scratch) {
  const BlockMemory<T> memory = LayOut<T>(sizes, false, scratch);
  ScoreColumns<kVectors, T>(sizes, nodes, packed, steps, memory, false);
  ChooseColumns<kVectors, T>(sizes, steps, memory);
}

template <typename T>
void Choose(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
            const PackedNodes<T>& packed, const DecoderSteps<T>& steps, T* scratch) {
  const int64_t remainder = steps.count % kLanes<T>;
  const int64_t single = remainder <= kMaxSingleSteps<T> ? remainder : 0;
  DecoderSteps<T> grouped = steps;
  grouped.count -= static_cast<int32_t>(single);
  const int64_t vectors = RoundUp(grouped.count, kLanes<T>) / kLanes<T>;
  if constexpr (kMaxVectors<T> == 3) {
    if (vectors == 3) ChooseBlock<3, T>(sizes, nodes, packed, grouped, scratch);
    if (vectors == 2) ChooseBlock<2, T>(sizes, nodes, packed, grouped, scratch);
  }
  if (vectors == 1) ChooseBlock<1, T>(sizes, nodes, packed, grouped, scratch);
  if (single == 0) return;
  const DecoderSteps<T> remaining = StepsFrom<T>(sizes, steps, grouped.count);
  const RowMemory<T> memory = LayOutRow<T>(sizes, scratch);
  for (int64_t r = 0; r < single; ++r) ChooseRow<T>(sizes, nodes, packed, remaining, r, memory);
}

template <int64_t kVectors, typename T>
void ScoreBlock(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                const PackedNodes<T>& packed, const DecoderSteps<T>& steps,
                const PackedNodes<T>& sum, const DecoderNodes<T>& gradient, T* scratch) {
  const BlockMemory<T> memory = LayOut<T>(sizes, true, scratch);
  ScoreColumns<kVectors, T>(sizes, nodes, packed, steps, memory, true);
  ChooseColumns<kVectors, T>(sizes, steps, memory);
  for (int64_t column = 0; column < steps.count; column += kLanes<T>) {
    LogitGradientOfColumn<kVectors * kLanes<T>, T>(sizes, steps, memory, column);
  }
  if (sum.keys == nullptr) return;
  AddBlockGradient<kVectors, T>(sizes, packed, steps, memory, sum, gradient);
}

template <typename T>
void AddGradient(const DecoderSizes& sizes, const DecoderNodes<const T>& nodes,
                 const PackedNodes<T>& packed, const DecoderSteps<T>& steps,
                 const PackedNodes<T>& sum, const DecoderNodes<T>& gradient, T* scratch) {
  const int64_t vectors = RoundUp(steps.count, kLanes<T>) / kLanes<T>;
  if constexpr (kMaxVectors<T> == 3) {
    if (vectors == 3) ScoreBlock<3, T>(sizes, nodes, packed, steps, sum, gradient, scratch);
    if (vectors == 2) ScoreBlock<2, T>(sizes, nodes, packed, steps, sum, gradient, scratch);
  }
  if (vectors == 1) ScoreBlock<1, T>(sizes, nodes, packed, steps, sum, gradient, scratch);
}

template <typename T>
void UnpackGradient(const DecoderSizes& sizes, const PackedNodes<T>& sum,
                    const DecoderNodes<T>& gradient) {
  const auto add = [&](const T* from, T* to) {
    VisitHeads<T>(sizes, [&](int64_t at, int64_t padded, int64_t lanes) {
      AddSome<T>(to + at, lanes, Load<T>(from + padded));
    });
  };
  for (int64_t n = 0; n < sizes.nodes; ++n) {
    add(sum.keys + n * sizes.row, gradient.keys + n * gradient.stride);
    add(sum.values + n * sizes.row, gradient.values + n * gradient.stride);
    add(sum.logit_keys + n * sizes.row, gradient.logit_keys + n * gradient.stride);
  }
}

}  // namespace

template <typename T>
DecoderKernels<T> GetDecoderKernels() {
  return {Sizes<T>, Scratch<T>, Pack<T>, Choose<T>, AddGradient<T>, UnpackGradient<T>};
}
template DecoderKernels<float> GetDecoderKernels<float>();
template DecoderKernels<double> GetDecoderKernels<double>();

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
