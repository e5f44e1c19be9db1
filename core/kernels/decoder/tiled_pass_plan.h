// Plan of a second pass that scores tiles of 16 steps at a time. Does not depend on CUDA.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/decoder_launch_plan.h"
#include "core/kernels/routing/routing_problem.h"

namespace vrp {

inline constexpr int32_t kTileRows = 16;   // steps of a tile
inline constexpr int32_t kTileNodes = 8;   // nodes of a product's result
inline constexpr int32_t kTiledHead = 16;  // elements of a head
inline constexpr int32_t kMaxTiledHeads = 8;
inline constexpr int32_t kPassMaskWords = 4;
// Sums of the gradients of a query's shared terms, for each column of H.
inline constexpr int32_t kQuerySums = 1 + kContextShares;
inline constexpr int32_t kTileInputBytes = 208;  // of TileInputs, see tiled_memory.cuh
// The hidden size with kernels whose strides are constants. Only these have coarse products, which
// read their operands from shared memory in fp16.
inline constexpr int32_t kUsualHidden = 128;

// The inputs of a step's score. Steps with a single allowed node have no row.
struct alignas(16) PassRow {
  uint32_t allowed[kPassMaskWords] = {};  // bit n % 32 of word n / 32: whether node n is allowed
  float shares[kContextShares] = {};
  int32_t current = 0;
  int32_t first = -1;  // a TSP's first node; -1: none
  int32_t choice = 0;
  int32_t allowed_count = 0;  // 0: the tile has no such row
};

// A plan in which block b of an instance takes part b / chunks of its trajectories, and adds the
// gradient of the nodes of chunk b % chunks.
struct TiledPassPlan {
  int32_t tiles = 0;      // of kTileNodes nodes; 0: the general kernel must score this size
  int32_t sum_tiles = 0;  // of a chunk
  int32_t chunks = 1;
  int32_t parts = 1;
  bool exact = true;     // whether products are as precise as in float32, see split_products.cuh
  bool ordered = false;  // whether to sum gradients in a fixed order
  int64_t shared_bytes = 0;  // of a block
};

// Plans a second pass. The plan has no tiles unless heads have kTiledHead elements, there are at
// most kMaxTiledHeads heads and 104 nodes, and shared memory holds an instance's rows.
TiledPassPlan PlanTiledPass(const DecoderLaunchSize& size, const DeviceLimits& limits);

// Distances in floats between rows in shared memory. They let the lanes of a warp read the elements
// of any of its products from different banks.
constexpr int32_t RowStride(int32_t hidden) { return hidden + 4; }
constexpr int32_t DotStride(int32_t tiles) { return tiles * kTileNodes + 4; }

// Returns the distance in numbers between rows of fp16 with `columns` columns, a multiple of 16. It
// is an odd multiple of 16 bytes, so that LoadMatrices reads a matrix from different banks.
constexpr int32_t HalfStride(int32_t columns) { return columns + 8; }
// Returns the number of tiles whose nodes have rows of fp16. Their products read pairs of tiles.
constexpr int32_t PairedTiles(int32_t tiles) { return (tiles + 1) / 2 * 2; }
// Returns the bytes of the rows of nodes in fp16: keys, values and logit keys.
constexpr int64_t HalfNodeBytes(int32_t tiles, int32_t hidden) {
  return int64_t{3} * PairedTiles(tiles) * kTileNodes * HalfStride(hidden) *
         int64_t{sizeof(uint16_t)};
}

// Returns the number of tiles of nodes whose gradients of scores a head keeps in shared memory.
constexpr int32_t RoundTilesOf(int32_t tiles) { return tiles <= 7 ? tiles : (tiles + 1) / 2; }

// Returns the device memory in bytes for the rows of all trajectories, and for their numbers of
// rows, which follow.
constexpr int64_t PassRowBytes(int64_t trajectories, int32_t max_steps) {
  return trajectories * (max_steps * int64_t{sizeof(PassRow)} + int64_t{sizeof(int32_t)});
}

}  // namespace vrp
