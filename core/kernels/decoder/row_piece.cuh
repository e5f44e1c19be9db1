// Neighbouring elements of rows of H floats, which a thread reads with few loads.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/decoder_program_score.h"

namespace vrp {

// Neighbouring elements of a row, which a thread reads with loads of up to 16 bytes.
template <int32_t kCount>
struct RowPiece {
  static constexpr int32_t kAlign = kCount >= 4 ? 16 : kCount * 4;
  struct alignas(kAlign) Part {
    float values[kAlign / 4];
  };
  static constexpr int32_t kParts = kCount * 4 / kAlign;
  Part parts[kParts];

  __device__ float At(int32_t i) const { return parts[i / (kAlign / 4)].values[i % (kAlign / 4)]; }
  __device__ float& At(int32_t i) { return parts[i / (kAlign / 4)].values[i % (kAlign / 4)]; }
};

// Returns piece `index` of a row that is aligned like a piece's parts.
template <int32_t kCount>
__device__ RowPiece<kCount> PieceOf(const float* row, int32_t index) {
  RowPiece<kCount> piece;
  const auto* const from =
      reinterpret_cast<const typename RowPiece<kCount>::Part*>(row + index * kCount);
  for (int32_t i = 0; i < RowPiece<kCount>::kParts; ++i) piece.parts[i] = from[i];
  return piece;
}

// Returns piece `index` of the scaled query (see QueryAt).
template <int32_t kCount>
__device__ RowPiece<kCount> QueryPiece(const DecoderTask<float>& task, int32_t current,
                                       int32_t first, const float* shares, int32_t index) {
  const DecoderNodes<const float>& nodes = task.nodes;
  RowPiece<kCount> query;
  const auto add = [&](const float* row) {
    const RowPiece<kCount> piece = PieceOf<kCount>(row, index);
    for (int32_t k = 0; k < kCount; ++k) query.At(k) += piece.At(k);
  };
  if (task.rules->problem.tsp && first < 0) {
    query = PieceOf<kCount>(nodes.start_query, index);
  } else {
    query = PieceOf<kCount>(nodes.base_query, index);
    add(nodes.queries + current * nodes.stride);
    if (first >= 0) add(nodes.first_queries + first * nodes.stride);
    for (int32_t k = 0; k < kContextShares && nodes.shares_weight != nullptr; ++k) {
      if (shares[k] == 0) continue;
      const float* const weights = nodes.shares_weight + k * task.hidden + index * kCount;
      for (int32_t h = 0; h < kCount; ++h) query.At(h) += shares[k] * weights[h];
    }
  }
  for (int32_t k = 0; k < kCount; ++k) query.At(k) *= task.query_scale;
  return query;
}

}  // namespace vrp
