// Compiled sizes, shared memory and parameters of a block that scores tiles. All warps of the block
// use them.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/decoder_program.h"
#include "core/kernels/decoder/row_piece.cuh"
#include "core/kernels/decoder/tiled_pass_plan.h"
#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/split_products.cuh"
#include "core/kernels/launch/warp_group.cuh"

namespace vrp {

// A compiled size. kHidden is H, or 0 if only the task has it.
template <int32_t kTilesOfAll, int32_t kTilesOfChunk, int32_t kHidden, bool kExactProducts>
struct TiledPassSize {
  static constexpr int32_t kTiles = kTilesOfAll;
  static constexpr int32_t kSumTiles = kTilesOfChunk;
  static constexpr int32_t kRoundTiles = RoundTilesOf(kTilesOfAll);
  static constexpr bool kExact = kExactProducts;
  // Threads of a block, or the fewest if only the task has H.
  static constexpr int32_t kThreads = (kHidden > 0 ? kHidden / kTiledHead : 1) * WarpLanes::kLanes;

  static __device__ int32_t HiddenOf(const DecoderTask<float>& task) {
    return kHidden > 0 ? kHidden : task.hidden;
  }
  // Number of warps, and of threads, of a block.
  static __device__ int32_t HeadsOf(const DecoderTask<float>& task) {
    return HiddenOf(task) / kTiledHead;
  }
  static __device__ int32_t ThreadsOf(const DecoderTask<float>& task) {
    return HeadsOf(task) * WarpLanes::kLanes;
  }
};

// A block's arrays in shared memory. Rows of H floats are RowStride(H) apart.
struct TileMemory {
  PassRow* rows = nullptr;   // [2, 16]: the rows of a tile and of the next one
  float* weights = nullptr;  // [2, 16]: the weights of their trajectories
  double* terms = nullptr;   // [M]: sums of log-likelihoods
  float* keys = nullptr;     // [8 * tiles, H], and the next two; 0 after the last node
  float* values = nullptr;
  float* logit_keys = nullptr;
  float* queries = nullptr;     // [16, H], scaled
  float* glimpses = nullptr;    // [16, H]; later the gradient of the unscaled queries
  float* d_glimpses = nullptr;  // [16, H]
  float* dots = nullptr;        // [16, 8 * tiles]: glimpse . logit key; later its gradient
  float* turned = nullptr;      // [M, 16, 8 * round_tiles]: a head's matrix, to read it by columns
};

// The parameters of all tiles.
struct TileStep {
  float smoothing = 0;
  int32_t chunk = 0;
  bool gradient = false;  // whether to compute the gradient
};

__device__ inline int32_t ThreadOfBlock() {
  return static_cast<int32_t>(threadIdx.y * WarpLanes::kLanes + threadIdx.x);
}

// Cuts a block's shared memory.
template <typename Size>
__device__ TileMemory CutSharedMemory(const DecoderTask<float>& task) {
  const int32_t stride = RowStride(Size::HiddenOf(task));
  TileMemory memory;
  memory.rows = reinterpret_cast<PassRow*>(SharedBytes());
  memory.terms = reinterpret_cast<double*>(memory.rows + 2 * kTileRows);
  memory.weights = reinterpret_cast<float*>(memory.terms + kMaxTiledHeads);
  float* next = memory.weights + 2 * kTileRows;
  const auto take = [&next](int32_t count) {
    float* const taken = next;
    next += count;
    return taken;
  };
  memory.keys = take(Size::kTiles * kTileNodes * stride);
  memory.values = take(Size::kTiles * kTileNodes * stride);
  memory.logit_keys = take(Size::kTiles * kTileNodes * stride);
  memory.queries = take(kTileRows * stride);
  memory.glimpses = take(kTileRows * stride);
  memory.d_glimpses = take(kTileRows * stride);
  memory.dots = take(kTileRows * DotStride(Size::kTiles));
  memory.turned = take(Size::HeadsOf(task) * kTileRows * DotStride(Size::kRoundTiles));
  return memory;
}

// Writes a piece of a row that products read.
template <typename Size>
__device__ void WritePiece(const RowPiece<4>& piece, float* row, int32_t index) {
  RowPiece<4> stored;
  for (int32_t k = 0; k < 4; ++k) {
    stored.At(k) = TileProducts<Size::kExact>::Stored(piece.At(k));
  }
  reinterpret_cast<RowPiece<4>*>(row)[index] = stored;
}

// Copies the rows of nodes to shared memory by all `threads` of the block, and 0 to the rows of the
// tiles after the last node.
template <typename Size>
__device__ void CopyNodes(const DecoderTask<float>& task, int32_t threads,
                          const TileMemory& memory) {
  const int32_t hidden = Size::HiddenOf(task);
  const int32_t pieces = hidden / 4;
  const auto copy = [&](const float* from, float* to) {
    for (int32_t i = ThreadOfBlock(); i < Size::kTiles * kTileNodes * pieces; i += threads) {
      const int32_t n = i / pieces;
      RowPiece<4> piece = {};
      if (n < task.size()) piece = PieceOf<4>(from + n * task.nodes.stride, i % pieces);
      WritePiece<Size>(piece, to + n * RowStride(hidden), i % pieces);
    }
  };
  copy(task.nodes.keys, memory.keys);
  copy(task.nodes.values, memory.values);
  copy(task.nodes.logit_keys, memory.logit_keys);
}

}  // namespace vrp
