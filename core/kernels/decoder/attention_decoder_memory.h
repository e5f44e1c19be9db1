// Memory of the decoder's passes, cut from the caller's scratch.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/attention_decoder_kernels.h"
#include "core/kernels/routing/routing_step.h"

namespace vrp {

// An allocator of pieces of the caller's memory, each aligned to a cache line. With a null pointer
// it only counts elements.
template <typename T>
class MemoryPieces {
 public:
  explicit MemoryPieces(T* memory) {
    const auto misalignment = reinterpret_cast<uintptr_t>(memory) % kLineBytes;
    memory_ = misalignment == 0 ? memory : memory + (kLineBytes - misalignment) / sizeof(T);
  }

  template <typename Piece>
  Piece* Take(int64_t count) {
    const int64_t bytes = count * static_cast<int64_t>(sizeof(Piece));
    T* const taken = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (bytes + kLineBytes - 1) / kLineBytes * (kLineBytes / sizeof(T));
    return reinterpret_cast<Piece*>(taken);
  }
  // Returns the number of elements used, including the alignment of the first piece.
  int64_t used() const { return used_ + static_cast<int64_t>(kLineBytes / sizeof(T)); }

 private:
  static constexpr int64_t kLineBytes = 64;  // of a cache line
  T* memory_ = nullptr;
  int64_t used_ = 0;
};

// Memory of a pass.
template <typename T>
struct DecoderMemory {
  simd::PackedNodes<T> packed;
  simd::PackedNodes<T> sum;  // sum of the gradients
  simd::DecoderSteps<T> steps;
  T* kernels = nullptr;             // the kernels' scratch
  double* sums = nullptr;           // [P]: sums of log-likelihoods
  RouteState* states = nullptr;     // [P], or [1] in a second pass
  uint8_t* visited = nullptr;       // [P, N], or [1, N] in a second pass
  int32_t* trajectories = nullptr;  // [block]: trajectory of each row in `steps`
  double* legs = nullptr;           // [N, N]: distances; null: computed when needed
};

// Takes the arrays of `nodes`, those by column only with `columns`.
template <typename T>
void TakeNodes(const simd::DecoderSizes& sizes, bool columns, MemoryPieces<T>& pieces,
               simd::PackedNodes<T>& nodes) {
  nodes.keys = pieces.template Take<T>(sizes.nodes * sizes.row);
  nodes.values = pieces.template Take<T>(sizes.nodes * sizes.row);
  nodes.logit_keys = pieces.template Take<T>(sizes.nodes * sizes.row);
  if (!columns) return;
  nodes.key_columns = pieces.template Take<T>(sizes.padded_nodes * sizes.width);
  nodes.logit_key_columns = pieces.template Take<T>(sizes.padded_nodes * sizes.width);
}

// Takes the arrays of `steps` except the scores.
template <typename T>
void TakeSteps(const simd::DecoderSizes& sizes, MemoryPieces<T>& pieces,
               simd::DecoderSteps<T>& steps) {
  steps.currents = pieces.template Take<int32_t>(sizes.block);
  steps.firsts = pieces.template Take<int32_t>(sizes.block);
  steps.shares = pieces.template Take<T>(sizes.block * kContextShares);
  steps.masks = pieces.template Take<T>(sizes.block * sizes.padded_nodes);
  steps.choices = pieces.template Take<int32_t>(sizes.block);
  steps.uniforms = pieces.template Take<double>(sizes.block);
  steps.likeliest = pieces.template Take<int32_t>(sizes.block);
  steps.log_likelihoods = pieces.template Take<T>(sizes.block);
  steps.weights = pieces.template Take<T>(sizes.block);
  steps.allowed = pieces.template Take<int32_t>(sizes.block);
}

// Requirements of a pass. A rollout keeps the states of all its trajectories. A second pass
// (`gradient`) replays them one by one. A beam search (`scores`) stores its tours itself.
struct DecoderNeeds {
  int32_t trajectories = 0;
  bool gradient = false;  // whether the pass is a second pass
  bool scores = false;    // whether the scores of all nodes are needed
  bool legs = false;      // whether all distances are computed once
};

// Lays out the memory of a pass. `kernels` is the number of elements of the kernels' scratch.
template <typename T>
DecoderMemory<T> LayOutDecoder(const simd::DecoderSizes& sizes, int64_t kernels,
                               const DecoderNeeds& needs, MemoryPieces<T>& pieces) {
  DecoderMemory<T> memory;
  TakeNodes(sizes, !needs.gradient, pieces, memory.packed);
  if (needs.gradient) TakeNodes(sizes, false, pieces, memory.sum);
  TakeSteps(sizes, pieces, memory.steps);
  memory.kernels = pieces.template Take<T>(kernels);
  const int64_t replayed = needs.gradient ? 1 : needs.trajectories;
  memory.sums = pieces.template Take<double>(needs.trajectories);
  memory.states = pieces.template Take<RouteState>(replayed);
  memory.visited = pieces.template Take<uint8_t>(replayed * sizes.nodes);
  memory.trajectories = pieces.template Take<int32_t>(sizes.block);
  if (needs.scores) {
    memory.steps.scores = pieces.template Take<T>(sizes.block * sizes.padded_nodes);
  }
  if (needs.legs) memory.legs = pieces.template Take<double>(sizes.nodes * sizes.nodes);
  return memory;
}

}  // namespace vrp
