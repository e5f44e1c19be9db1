// Compiled sizes, shared memory and parameters of a block that scores tiles. All warps of the block
// use them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/kernels/decoder/decoder_program.h"
#include "core/kernels/decoder/row_piece.cuh"
#include "core/kernels/decoder/tiled_pass_plan.h"
#include "core/kernels/launch/device_intrinsics.cuh"
#include "core/kernels/launch/warp_group.cuh"

namespace vrp {

using Fp16Bits = uint16_t;  // a number of fp16

// A compiled size. kHidden is H, or 0 if only the task has it. Products that are not exact read
// fp16.
template <int32_t kTilesOfAll, int32_t kTilesOfChunk, int32_t kHiddenOfAll, bool kExactProducts>
struct TiledPassSize {
  using Element = std::conditional_t<kExactProducts, float, Fp16Bits>;  // of products' operands
  static constexpr int32_t kHidden = kHiddenOfAll;
  static constexpr int32_t kTiles = kTilesOfAll;
  static constexpr int32_t kSumTiles = kTilesOfChunk;
  static constexpr int32_t kRoundTiles = RoundTilesOf(kTilesOfAll);
  static constexpr bool kExact = kExactProducts;
  // Rows of nodes in shared memory, or of their dot products' gradient.
  static constexpr int32_t kNodeRows = (kExact ? kTiles : PairedTiles(kTiles)) * kTileNodes;
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
  // Returns the distance between rows of H elements.
  static __device__ int32_t StrideOf(const DecoderTask<float>& task) {
    return kExact ? RowStride(HiddenOf(task)) : HalfStride(HiddenOf(task));
  }
};

// A block's inputs and outputs. Shared memory holds them, because registers are few.
struct alignas(16) TileInputs {
  DecoderTask<float> task;
  DecoderNodes<float> gradient;
  // The instance's first ones.
  const PassRow* rows = nullptr;
  const int32_t* counts = nullptr;
  const double* weights = nullptr;  // null if there is no gradient
};
static_assert(sizeof(TileInputs) == kTileInputBytes);

// A block's arrays in shared memory. Rows of H elements are StrideOf(task) apart, and rows of H
// floats RowStride(H).
template <typename Element>
struct TileMemory {
  TileInputs* inputs = nullptr;
  PassRow* rows = nullptr;      // [2, 16]: the rows of a tile and of the next one
  double* weights = nullptr;    // [2, 2]: the weights of their first and second trajectory
  double* terms = nullptr;      // [M]: sums of log-likelihoods
  float* query_sums = nullptr;  // [kQuerySums, H]: gradients of base_query and shares_weight
  Element* keys = nullptr;      // [kNodeRows, H], and the next two; 0 after the last node
  Element* values = nullptr;
  Element* logit_keys = nullptr;
  Element* queries = nullptr;   // [16, H], scaled
  Element* glimpses = nullptr;  // [16, H]
  float* dots = nullptr;        // [16, 8 * tiles]: glimpse . logit key
  Element* d_dots = nullptr;    // [16, kNodeRows]: their gradient; replaces exact dots
  float* d_queries = nullptr;   // [16, H]: of the unscaled queries; replaces exact glimpses
  // Only for exact products.
  float* d_glimpses = nullptr;  // [16, H]
  float* turned = nullptr;      // [M, 16, 8 * round_tiles]: a head's matrix, to read it by columns
};

// Sums of a head's gradient over the steps, transposed: [16, 8 * kSumTiles] in the order of a
// product's result.
template <int32_t kSumTiles>
struct HeadSums {
  float keys[kSumTiles][4] = {};
  float values[kSumTiles][4] = {};
  float logit_keys[kSumTiles][4] = {};
};

// The parameters of all tiles.
struct TileStep {
  float smoothing = 0;
  int32_t chunk = 0;
  bool gradient = false;  // whether to compute the gradient
  float scale = 1;        // factor of gradients in shared memory and of HeadSums, a power of 2
};

__device__ inline int32_t ThreadOfBlock() {
  return static_cast<int32_t>(threadIdx.y * WarpLanes::kLanes + threadIdx.x);
}

// Cuts a block's shared memory.
template <typename Size>
__device__ TileMemory<typename Size::Element> CutSharedMemory(const DecoderTask<float>& task) {
  using Element = typename Size::Element;
  const int32_t stride = Size::StrideOf(task);
  const int32_t float_stride = RowStride(Size::HiddenOf(task));
  TileMemory<Element> memory;
  memory.inputs = reinterpret_cast<TileInputs*>(SharedBytes());
  memory.rows = reinterpret_cast<PassRow*>(memory.inputs + 1);
  memory.terms = reinterpret_cast<double*>(memory.rows + 2 * kTileRows);
  memory.weights = memory.terms + kMaxTiledHeads;
  auto* next = reinterpret_cast<uint8_t*>(memory.weights + 4);
  const auto take = [&next]<typename Value>(Value*& array, int32_t count) {
    array = reinterpret_cast<Value*>(next);
    next += count * sizeof(Value);
  };
  take(memory.query_sums, kQuerySums * Size::HiddenOf(task));
  take(memory.keys, Size::kNodeRows * stride);
  take(memory.values, Size::kNodeRows * stride);
  take(memory.logit_keys, Size::kNodeRows * stride);
  take(memory.queries, kTileRows * stride);
  take(memory.glimpses, kTileRows * stride);
  take(memory.dots, kTileRows * DotStride(Size::kTiles));
  if constexpr (Size::kExact) {
    memory.d_dots = memory.dots;
    memory.d_queries = memory.glimpses;
    take(memory.d_glimpses, kTileRows * stride);
    take(memory.turned, Size::HeadsOf(task) * kTileRows * DotStride(Size::kRoundTiles));
  } else {
    take(memory.d_dots, kTileRows * HalfStride(Size::kNodeRows));
    take(memory.d_queries, kTileRows * float_stride);
  }
  return memory;
}

// Writes piece `index` of a row in fp16. Limits numbers to its range.
__device__ inline void WritePiece(const RowPiece<4>& piece, Fp16Bits* row, int32_t index) {
  struct alignas(8) Words {
    uint32_t values[2];
  };
  const auto limited = [&](int32_t k) {
    constexpr float kLargest = 65504;
    const float value = piece.At(k);
    const float below = value > kLargest ? kLargest : value;
    return below < -kLargest ? -kLargest : below;
  };
  reinterpret_cast<Words*>(row)[index] = {PackHalves(limited(0), limited(1)),
                                          PackHalves(limited(2), limited(3))};
}

// Copies the rows of nodes to shared memory by all `threads` of the block, and 0 to the rows of the
// tiles after the last node.
template <typename Size>
__device__ void CopyNodes(const DecoderTask<float>& task, int32_t threads,
                          const TileMemory<typename Size::Element>& memory) {
  const int32_t pieces = Size::HiddenOf(task) / 4;
  const auto copy = [&](const float* from, typename Size::Element* to) {
    for (int32_t i = ThreadOfBlock(); i < Size::kNodeRows * pieces; i += threads) {
      const int32_t n = i / pieces;
      RowPiece<4> piece = {};
      if (n < task.size()) piece = PieceOf<4>(from + n * task.nodes.stride, i % pieces);
      WritePiece(piece, to + n * Size::StrideOf(task), i % pieces);
    }
  };
  copy(task.nodes.keys, memory.keys);
  copy(task.nodes.values, memory.values);
  copy(task.nodes.logit_keys, memory.logit_keys);
}

}  // namespace vrp
