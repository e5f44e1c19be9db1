// Scratch of a group of threads that runs a decoder's program, cut from one piece of memory.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/decoder_nodes.h"
#include "core/kernels/routing/routing_visit.h"
#include "core/kernels/support/group.h"

namespace vrp {

// A trajectory's state and the results of its last step, visible to all threads of a group.
template <typename T>
struct DecoderStepState {
  RouteState state;
  int32_t allowed = 0;  // number of nodes that may be visited next
  int32_t choice = 0;
  int32_t likeliest = 0;
  int32_t agreements = 0;
  T largest = 0;                  // largest logit
  T total = 0;                    // sum of exp(logit - largest)
  double log_likelihood_sum = 0;  // over the steps
  T shares[kContextShares] = {};
};

// Number of steps whose random numbers a rollout draws at once, one per thread of a warp.
inline constexpr int32_t kDrawnSteps = 32;

// The arrays of a group's scratch.
template <typename T>
struct DecoderScratch {
  DecoderStepState<T>* step = nullptr;
  double* uniforms = nullptr;  // [kDrawnSteps]: random numbers of sampled steps; only in rollouts
  T* query = nullptr;          // [H], scaled
  T* weights = nullptr;        // [M, N]: attention weights
  T* glimpse = nullptr;        // [H]
  T* tanhs = nullptr;          // [N]; logit = clip * tanh; 0 where not allowed
  T* exps = nullptr;           // [N]: exp(logit - largest logit)
  // [M, N]: parts of the logits; shares memory with an array that is unused at that time.
  T* partials = nullptr;
  // [N + 3]: the allowed nodes in ascending order, padded with 0 to a multiple of 4; only in warps
  int32_t* order = nullptr;
  uint8_t* visited = nullptr;  // [N]
  uint8_t* allowed = nullptr;  // [N]: 0 or 1
  // Only the second pass uses the following arrays.
  T* d_dots = nullptr;     // [N]: gradient w.r.t. the product glimpse . logit key
  T* d_glimpse = nullptr;  // [H]
  T* means = nullptr;      // [M]: means of an attention's gradient
  T* d_scores = nullptr;   // [M, N]: gradient w.r.t. the product query . key
};

// Offsets of the arrays in bytes, multiples of 16.
struct DecoderScratchLayout {
  int64_t uniforms = 0;
  int64_t query = 0;
  int64_t weights = 0;
  int64_t glimpse = 0;
  int64_t tanhs = 0;
  int64_t exps = 0;
  int64_t partials = 0;
  int64_t order = 0;
  int64_t visited = 0;
  int64_t allowed = 0;
  int64_t d_dots = 0;
  int64_t d_glimpse = 0;
  int64_t means = 0;
  int64_t d_scores = 0;
  int64_t bytes = 0;
};

// Appends arrays to a layout, each aligned to 16 bytes.
class ScratchPieces {
 public:
  constexpr explicit ScratchPieces(int64_t& bytes) : bytes_(bytes) {}
  // Returns the offset of `count` elements of `size` bytes.
  constexpr int64_t Take(int64_t count, int64_t size) {
    const int64_t offset = bytes_;
    bytes_ += (count * size + 15) / 16 * 16;
    return offset;
  }

 private:
  int64_t& bytes_;
};

// Lays out the scratch of a warp's rollouts. It keeps queries, weights and glimpses in registers.
constexpr DecoderScratchLayout LayOutWarpScratch(int32_t nodes) {
  DecoderScratchLayout layout;
  ScratchPieces pieces(layout.bytes);
  pieces.Take(1, sizeof(DecoderStepState<float>));
  layout.uniforms = pieces.Take(kDrawnSteps, sizeof(double));
  layout.tanhs = pieces.Take(nodes, sizeof(float));
  layout.exps = pieces.Take(nodes, sizeof(float));
  layout.order = pieces.Take(nodes + 3, sizeof(int32_t));
  layout.visited = pieces.Take(nodes, 1);
  layout.allowed = pieces.Take(nodes, 1);
  return layout;
}

// Lays out the scratch. `nodes` is the number of nodes of the largest instance. `gradient`: for
// a second pass, not for a rollout.
template <typename T>
constexpr DecoderScratchLayout LayOutDecoderScratch(const DecoderShape& shape, int32_t nodes,
                                                    bool gradient) {
  DecoderScratchLayout layout;
  ScratchPieces pieces(layout.bytes);
  constexpr int64_t kSize = sizeof(T);
  pieces.Take(1, sizeof(DecoderStepState<T>));
  if (!gradient) layout.uniforms = pieces.Take(kDrawnSteps, sizeof(double));
  layout.query = pieces.Take(shape.hidden, kSize);
  layout.weights = pieces.Take(int64_t{shape.heads} * nodes, kSize);
  layout.glimpse = pieces.Take(shape.hidden, kSize);
  layout.tanhs = pieces.Take(nodes, kSize);
  layout.exps = pieces.Take(nodes, kSize);
  layout.visited = pieces.Take(nodes, 1);
  layout.allowed = pieces.Take(nodes, 1);
  layout.partials = layout.weights;
  if (!gradient) return layout;
  layout.d_dots = pieces.Take(nodes, kSize);
  layout.d_glimpse = pieces.Take(shape.hidden, kSize);
  layout.means = pieces.Take(shape.heads, kSize);
  layout.d_scores = pieces.Take(int64_t{shape.heads} * nodes, kSize);
  layout.partials = layout.d_scores;  // not `weights`, which the gradient needs
  return layout;
}

// Returns the arrays at `base`, which is aligned to 16.
template <typename T>
VRP_DEVICE DecoderScratch<T> DecoderScratchAt(const DecoderScratchLayout& layout, uint8_t* base) {
  const auto reals = [base](int64_t offset) { return reinterpret_cast<T*>(base + offset); };
  return {.step = reinterpret_cast<DecoderStepState<T>*>(base),
          .uniforms = reinterpret_cast<double*>(base + layout.uniforms),
          .query = reals(layout.query),
          .weights = reals(layout.weights),
          .glimpse = reals(layout.glimpse),
          .tanhs = reals(layout.tanhs),
          .exps = reals(layout.exps),
          .partials = reals(layout.partials),
          .order = reinterpret_cast<int32_t*>(base + layout.order),
          .visited = base + layout.visited,
          .allowed = base + layout.allowed,
          .d_dots = reals(layout.d_dots),
          .d_glimpse = reals(layout.d_glimpse),
          .means = reals(layout.means),
          .d_scores = reals(layout.d_scores)};
}

}  // namespace vrp
