// Queries of a tile's steps and their gradients. Each warp handles the columns of its head, so that
// it needs no barrier before or after the head's products.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/decoder_program_score.h"
#include "core/kernels/decoder/tiled_memory.cuh"

namespace vrp {

// The rows of a tile in device memory: the last ones of a trajectory and the first ones of the
// next. Missing rows are 0.
struct TileRows {
  const PassRow* own = nullptr;
  const PassRow* next = nullptr;
  int32_t own_count = 0;
  int32_t next_count = 0;
  const double* own_weight = nullptr;   // of the trajectory; null: 0
  const double* next_weight = nullptr;  // only read if there are such rows
};

// Begins to load a tile's rows into the first or second half of memory.rows.
template <typename Size>
__device__ void LoadRows(const DecoderTask<float>& task, const TileRows& rows,
                         const TileMemory<typename Size::Element>& memory, int32_t second) {
  struct alignas(16) Piece {
    uint32_t words[4];
  };
  constexpr int32_t kPieces = sizeof(PassRow) / sizeof(Piece);
  const int32_t count = rows.own_count + rows.next_count;
  auto* const to = reinterpret_cast<Piece*>(memory.rows + second * kTileRows);
  for (int32_t i = ThreadOfBlock(); i < kTileRows * kPieces; i += Size::ThreadsOf(task)) {
    const int32_t r = i / kPieces;
    const PassRow* const row = r < rows.own_count ? rows.own + r : rows.next + (r - rows.own_count);
    if (r < count) {
      BeginCopy<sizeof(Piece)>(reinterpret_cast<const Piece*>(row) + i % kPieces, to + i);
    } else {
      to[i] = {};
    }
  }
  const int32_t which = ThreadOfBlock();
  if (which >= 2) return;
  double* const weight = memory.weights + 2 * second + which;
  if (rows.own_weight != nullptr && (which == 0 ? rows.own_count : rows.next_count) > 0) {
    BeginCopy<sizeof(double)>(which == 0 ? rows.own_weight : rows.next_weight, weight);
  } else {
    *weight = 0;
  }
}

// Adds factor * piece to `sum`.
__device__ inline void AddPiece(const RowPiece<4>& piece, float factor, RowPiece<4>& sum) {
  for (int32_t k = 0; k < 4; ++k) sum.At(k) += factor * piece.At(k);
}

// Computes the head's columns of the rows' scaled queries (see QueryAt), two pieces per lane, whose
// loads overlap.
template <typename Size>
__device__ void WriteQueries(const DecoderTask<float>& task, const PassRow* rows,
                             typename Size::Element* queries) {
  constexpr int32_t kPieces = kTiledHead / 4;
  constexpr int32_t kRows = WarpLanes::kLanes / kPieces;  // that the warp computes at a time
  constexpr int32_t kCount = kTileRows / kRows;
  const auto lane = static_cast<int32_t>(threadIdx.x);
  const int32_t index = static_cast<int32_t>(threadIdx.y) * kPieces + lane % kPieces;
  const DecoderNodes<const float>& nodes = task.nodes;
  const PassRow* const row = rows + lane / kPieces;  // of the lane's first piece
  const bool tsp = task.rules->problem.tsp;
  const auto from_stride = static_cast<int32_t>(nodes.stride);
  RowPiece<4> sums[kCount];
  for (int32_t i = 0; i < kCount; ++i) {
    sums[i] = PieceOf<4>(nodes.queries + row[i * kRows].current * from_stride, index);
  }
  const RowPiece<4> base = PieceOf<4>(nodes.base_query, index);
  for (int32_t i = 0; i < kCount; ++i) {
    AddPiece(base, 1, sums[i]);
    // Batches without a TSP have no first queries, and missing rows begin with node 0.
    if (row[i * kRows].allowed_count > 0 && row[i * kRows].first >= 0) {
      const float* const first = nodes.first_queries + row[i * kRows].first * from_stride;
      AddPiece(PieceOf<4>(first, index), 1, sums[i]);
    }
  }
  for (int32_t k = 0; k < kContextShares && nodes.shares_weight != nullptr; ++k) {
    RowPiece<4> weights;
    for (int32_t h = 0; h < 4; ++h) {
      weights.At(h) = nodes.shares_weight[k * Size::HiddenOf(task) + 4 * index + h];
    }
    for (int32_t i = 0; i < kCount; ++i) AddPiece(weights, row[i * kRows].shares[k], sums[i]);
  }
  for (int32_t i = 0; i < kCount; ++i) {
    const PassRow& one = row[i * kRows];
    if (tsp && one.first < 0) sums[i] = PieceOf<4>(nodes.start_query, index);
    const float scale = one.allowed_count > 0 ? task.query_scale : 0;
    for (int32_t h = 0; h < 4; ++h) sums[i].At(h) *= scale;
    const int32_t r = lane / kPieces + i * kRows;
    WritePiece(sums[i], queries + r * Size::StrideOf(task), index);
  }
}

// Returns the column of the head that the lane adds.
__device__ inline int32_t QueryColumn() {
  return static_cast<int32_t>(threadIdx.y) * kTiledHead +
         static_cast<int32_t>(threadIdx.x) % kTiledHead;
}

// Adds the head's gradient of the tile's queries, which is in memory.d_queries, and its sums to
// memory.query_sums. The two lanes of a column take turns at its rows. If `ordered`, one lane adds
// them all, in a fixed order.
template <typename Size>
__device__ void AddQueries(const DecoderTask<float>& task,
                           const TileMemory<typename Size::Element>& memory, const PassRow* rows,
                           bool ordered) {
  constexpr int32_t kAtATime = 4;
  const int32_t turn = static_cast<int32_t>(threadIdx.x) / kTiledHead;
  const int32_t turns = ordered ? 1 : 2;
  const int32_t stride = RowStride(Size::HiddenOf(task));
  const int32_t h = QueryColumn();
  // Copies, because atomic operations would make it read shared memory again.
  const DecoderNodes<float> gradient = memory.inputs->gradient;
  const auto to_stride = static_cast<int32_t>(gradient.stride);
  const bool tsp = task.rules->problem.tsp;
  float sums[kQuerySums] = {};
  const auto add = [&](const PassRow& row, float value) {
    if (row.allowed_count == 0) return;
    if (tsp && row.first < 0) {
      atomicAdd(&gradient.start_query[h], value);  // once per trajectory
      return;
    }
    sums[0] += value;
    atomicAdd(&gradient.queries[row.current * to_stride + h], value);
    if (row.first >= 0) atomicAdd(&gradient.first_queries[row.first * to_stride + h], value);
    for (int32_t k = 0; k < kContextShares; ++k) sums[1 + k] += value * row.shares[k];
  };
  for (int32_t begin = turn; begin < kTileRows && turn < turns; begin += kAtATime * turns) {
    // Reads first, because no read moves before an atomic operation.
    PassRow some[kAtATime];
    float values[kAtATime];
    for (int32_t i = 0; i < kAtATime; ++i) {
      const int32_t r = begin + i * turns;
      some[i] = rows[r];
      values[i] = memory.d_queries[r * stride + h];
    }
    for (int32_t i = 0; i < kAtATime; ++i) add(some[i], values[i]);
  }
  for (int32_t k = 0; k < kQuerySums; ++k) {
    sums[k] += __shfl_xor_sync(WarpLanes::kAll, sums[k], kTiledHead);
    if (turn == 0) memory.query_sums[k * Size::HiddenOf(task) + h] += sums[k];
  }
}

// Sets the head's columns of memory.query_sums to 0.
template <typename Size>
__device__ void ClearQuerySums(const DecoderTask<float>& task,
                               const TileMemory<typename Size::Element>& memory) {
  if (threadIdx.x >= kTiledHead) return;
  for (int32_t k = 0; k < kQuerySums; ++k) {
    memory.query_sums[k * Size::HiddenOf(task) + QueryColumn()] = 0;
  }
}

// Adds memory.query_sums, which each lane has summed itself, to `gradient`.
template <typename Size>
__device__ void WriteQuerySums(const DecoderTask<float>& task,
                               const TileMemory<typename Size::Element>& memory,
                               const DecoderNodes<float>& gradient) {
  if (threadIdx.x >= kTiledHead) return;
  const int32_t hidden = Size::HiddenOf(task);
  const int32_t h = QueryColumn();
  atomicAdd(&gradient.base_query[h], memory.query_sums[h]);
  if (gradient.shares_weight == nullptr) return;
  for (int32_t k = 0; k < kContextShares; ++k) {
    atomicAdd(&gradient.shares_weight[k * hidden + h], memory.query_sums[(1 + k) * hidden + h]);
  }
}

}  // namespace vrp
