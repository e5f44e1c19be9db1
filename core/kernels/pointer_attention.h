// The two attentions of a pointer network's decoding step, for one trajectory on the CPU. No torch.
//
// Dispatching batched products of 1 x 16 x 21 costs far more than computing them; these loops run
// over contiguous nodes or channels instead, and leave out nothing else: what the dense layers do
// stays with the tensor library. Shapes: N nodes, M heads of D channels (H = M * D), F dynamic
// features.
#pragma once

#include <cstdint>
#include <span>

namespace vrp {

// What a trajectory sees at a step.
struct AttentionNodes {
  int64_t nodes = 0;                   // N
  int64_t features = 0;                // F
  std::span<const float> dynamic;      // [N, F]
  std::span<const uint8_t> forbidden;  // [N]; 1: left out. At least one node is allowed
};

struct GlimpseWeights {
  int64_t heads = 0;                      // M
  int64_t channels = 0;                   // D
  std::span<const float> keys;            // [M, D, N]
  std::span<const float> values;          // [M, N, D]
  std::span<const float> dynamic_weight;  // [M, F]
};

// Multi-head attention over the allowed nodes: `query` [M * D], scaled already, to `seen` [M * D].
void Glimpse(const AttentionNodes& at, const GlimpseWeights& weights, std::span<const float> query,
             std::span<float> seen);

struct PointerWeights {
  std::span<const float> keys;            // [H, N]
  std::span<const float> dynamic_weight;  // [F], of this trajectory at this step
  float clip = 10;
};

// logits[n] = clip * tanh(query . keys[:, n] + dynamic_weight . dynamic[n]); forbidden: -inf.
// `query` [H], scaled already.
void PointerLogits(const AttentionNodes& at, const PointerWeights& weights,
                   std::span<const float> query, std::span<float> logits);

}  // namespace vrp
