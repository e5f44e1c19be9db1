// Neighbouring elements of rows of H floats, which a thread reads with few loads.
#pragma once

#include <bit>
#include <cstdint>

#include "core/kernels/decoder/decoder_program_score.h"
#include "core/kernels/support/bf16_value.h"

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

// Returns piece `index` of a row of bf16 numbers. Reads two numbers or more at once.
template <int32_t kCount>
__device__ RowPiece<kCount> PieceOf(const Bf16Value* row, int32_t index) {
  static_assert(kCount % 2 == 0 && kCount <= 8);
  struct alignas(kCount * 2) Words {
    uint32_t values[kCount / 2];
  };
  const Words words = *reinterpret_cast<const Words*>(row + index * kCount);
  RowPiece<kCount> piece;
  for (int32_t i = 0; i < kCount / 2; ++i) {
    piece.At(2 * i) = std::bit_cast<float>(words.values[i] << 16);
    piece.At(2 * i + 1) = std::bit_cast<float>(words.values[i] & 0xFFFF0000u);
  }
  return piece;
}

// Writes piece `index` of a row, whose numbers are of bf16.
template <int32_t kCount>
__device__ void WritePiece(const RowPiece<kCount>& piece, Bf16Value* row, int32_t index) {
  for (int32_t i = 0; i < kCount; i += 2) {
    const uint32_t low = std::bit_cast<uint32_t>(piece.At(i)) >> 16;
    const uint32_t high = std::bit_cast<uint32_t>(piece.At(i + 1)) & 0xFFFF0000u;
    reinterpret_cast<uint32_t*>(row + index * kCount)[i / 2] = low | high;
  }
}
template <int32_t kCount>
__device__ void WritePiece(const RowPiece<kCount>& piece, float* row, int32_t index) {
  reinterpret_cast<RowPiece<kCount>*>(row)[index] = piece;
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
