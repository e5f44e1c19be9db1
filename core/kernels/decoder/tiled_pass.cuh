// A tile of a second pass: scores of 16 steps and their gradient, as exact products of small
// matrices. Each warp of a block computes one head. As in FlashAttention's backward pass (Dao
// et al. 2022), attention weights stay in registers, and so do the gradients' sums, until all steps
// are done. attention_decoder.h defines the results.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/decoder/tiled_memory.cuh"
#include "core/kernels/launch/fast_math.cuh"
#include "core/kernels/launch/split_products.cuh"

namespace vrp {

// One warp's part of a tile. `warp` is its head.
template <typename Size>
class TileHead {
  static constexpr int32_t kTiles = Size::kTiles;
  static constexpr int32_t kSumTiles = Size::kSumTiles;
  static constexpr int32_t kRoundTiles = Size::kRoundTiles;
  static constexpr int32_t kRounds = (kTiles + kRoundTiles - 1) / kRoundTiles;
  // A round's tiles whose score gradients are computed together, so that their loads overlap.
  static constexpr int32_t kGroup = kTiles <= 7 ? 4 : 2;
  // Sums of even and of odd tiles' products do not wait for each other. Large sizes have no
  // registers for two.
  static constexpr int32_t kChains = 2;
  using Products = SplitProducts;
  using Left = Products::Left;
  using Right = Products::Right;
  using Memory = TileMemory<float>;

 public:
  __device__ TileHead(const DecoderTask<float>& task, const Memory& memory, int32_t warp)
      : task_(task),
        memory_(memory),
        warp_(warp),
        hidden_(Size::HiddenOf(task)),
        stride_(RowStride(hidden_)),
        row_(static_cast<int32_t>(threadIdx.x) / 4),
        pair_(static_cast<int32_t>(threadIdx.x) % 4),
        column_(warp * kTiledHead) {}

  // Computes the head's attention weights and glimpses from its queries.
  __device__ void Attend(const PassRow* rows) {
    FindWeights(rows);
    float sums[kChains][2][4] = {};
    for (int32_t j = 0; j < kTiles; ++j) {
      const Left weights = Products::LeftOf(weights_[j]);
      for (int32_t s = 0; s < 2; ++s) {
        Products::Add(weights, NodePair(memory_.values, j, s), sums[j % kChains][s]);
      }
    }
    if constexpr (kChains == 2) AddTiles(sums[1], sums[0]);
    StoreHead(memory_.glimpses, sums[0]);
  }

  // Computes the dot products of the glimpses with the logit keys of every M-th tile of nodes.
  __device__ void WriteDots() const {
    constexpr int32_t kSums = 4;  // that do not wait for each other
    for (int32_t j = warp_; j < kTiles; j += hidden_ / kTiledHead) {
      float dots[kSums][4] = {};
      for (int32_t k = 0; k < hidden_; k += 8 * kSums) {
        for (int32_t i = 0; i < kSums && k + 8 * i < hidden_; ++i) {
          const int32_t at = k + 8 * i;
          Products::Add(Rows(memory_.glimpses, at), Nodes(memory_.logit_keys, j, at), dots[i]);
        }
      }
      for (int32_t i = 0; i < 4; ++i) dots[0][i] += dots[1][i] + (dots[2][i] + dots[3][i]);
      StoreTile(memory_.dots, DotStride(kTiles), j, dots[0]);
    }
  }

  // Adds the head's gradient to `sums`, and writes that of its queries over its glimpses.
  __device__ void AddGradient(const TileStep& step, HeadSums<kSumTiles>& sums) {
    float d_glimpse[2][4];
    float means[2];
    WriteGlimpseGradient(d_glimpse, means);
    const int32_t first = step.chunk * kSumTiles;
    const int32_t end = kTiles - first < kSumTiles ? kTiles - first : kSumTiles;
    AddTurned<kSumTiles>(memory_.glimpses, memory_.d_dots + first * kTileNodes, DotStride(kTiles),
                         end, sums.logit_keys);
    const Left d_glimpses[2] = {Products::LeftOf(d_glimpse[0]), Products::LeftOf(d_glimpse[1])};
    float d_query[2][4] = {};
#pragma unroll
    for (int32_t round = 0; round < kRounds; ++round) {
      const bool summed = kSumTiles == kTiles || round == step.chunk;
      if (!summed && step.chunk != 0) continue;
      for (int32_t j = 0; j < kRoundTiles; j += kGroup) {
        AddScoreGradient(step, summed, {round * kRoundTiles, j}, d_glimpses, means, d_query);
      }
      if (summed) AddRound(round, sums);
    }
    if (step.chunk != 0) return;
    for (int32_t s = 0; s < 2; ++s) {
      for (float& value : d_query[s]) value *= task_.query_scale;
    }
    StoreHead(memory_.d_queries, d_query);
  }

 private:
  static __device__ void AddTiles(const float (&terms)[2][4], float (&sums)[2][4]) {
    for (int32_t s = 0; s < 2; ++s) {
      for (int32_t i = 0; i < 4; ++i) sums[s][i] += terms[s][i];
    }
  }
  // Returns the sum, or the maximum, over the four lanes of a row.
  static __device__ float RowSum(float value) {
    value += __shfl_xor_sync(WarpLanes::kAll, value, 1);
    return value + __shfl_xor_sync(WarpLanes::kAll, value, 2);
  }
  static __device__ float RowMax(float value) {
    for (int32_t offset = 1; offset <= 2; offset *= 2) {
      const float other = __shfl_xor_sync(WarpLanes::kAll, value, offset);
      value = other > value ? other : value;
    }
    return value;
  }

  __device__ float* Turned() const {
    return memory_.turned + warp_ * kTileRows * DotStride(kRoundTiles);
  }

  // Operands of products. Rows: columns k .. k + 7 of 16 steps' rows of H. Nodes: the transposed
  // columns of tile j's nodes. HeadPairs and NodePair pair neighbouring columns and nodes as
  // LeftOf does.
  __device__ Left Rows(const float* rows, int32_t k) const {
    const float* const at = rows + row_ * stride_ + k + pair_;
    return Products::LeftOf(at[0], at[8 * stride_], at[4], at[8 * stride_ + 4]);
  }
  __device__ Right Nodes(const float* nodes, int32_t j, int32_t k) const {
    const float* const at = nodes + (j * kTileNodes + row_) * stride_ + k + pair_;
    return Products::RightOf(at[0], at[4]);
  }
  __device__ Right HeadPairs(const float* nodes, int32_t j, int32_t s) const {
    const float* const at = nodes + (j * kTileNodes + row_) * stride_ + column_ + 8 * s + 2 * pair_;
    const Pair pair = *reinterpret_cast<const Pair*>(at);
    return Products::RightOf(pair.values[0], pair.values[1]);
  }
  __device__ Right NodePair(const float* nodes, int32_t j, int32_t s) const {
    const float* const at = nodes + (j * kTileNodes + 2 * pair_) * stride_ + column_ + 8 * s + row_;
    return Products::RightOf(at[0], at[stride_]);
  }
  __device__ Left RowPairs(const float* dots, int32_t stride, int32_t j) const {
    const float* const at = dots + row_ * stride + j * kTileNodes + 2 * pair_;
    const Pair upper = *reinterpret_cast<const Pair*>(at);
    const Pair lower = *reinterpret_cast<const Pair*>(at + 8 * stride);
    return Products::LeftOf(upper.values[0], lower.values[0], upper.values[1], lower.values[1]);
  }

  struct alignas(8) Pair {
    float values[2];
  };
  // Writes a result's [16, 8] to tile j of rows that are `stride` apart.
  __device__ void StoreTile(float* rows, int32_t stride, int32_t j, const float (&tile)[4]) const {
    float* const at = rows + row_ * stride + j * kTileNodes + 2 * pair_;
    *reinterpret_cast<Pair*>(at) = {tile[0], tile[1]};
    *reinterpret_cast<Pair*>(at + 8 * stride) = {tile[2], tile[3]};
  }
  // Writes the head's columns.
  __device__ void StoreHead(float* rows, const float (&tiles)[2][4]) const {
    for (int32_t s = 0; s < 2; ++s) StoreTile(rows + column_, stride_, s, tiles[s]);
  }

  __device__ void FindWeights(const PassRow* rows) {
    float scores[kTiles][4] = {};
    const Left queries[2] = {Rows(memory_.queries, column_), Rows(memory_.queries, column_ + 8)};
    for (int32_t j = 0; j < kTiles; ++j) {
      for (int32_t s = 0; s < 2; ++s) {
        Products::Add(queries[s], Nodes(memory_.keys, j, column_ + 8 * s), scores[j]);
      }
    }
    Normalise(0, rows[row_].allowed, scores);
    Normalise(2, rows[row_ + 8].allowed, scores);
    for (int32_t j = 0; j < kTiles; ++j) {
      for (int32_t i = 0; i < 4; ++i) weights_[j][i] = scores[j][i];
    }
  }

  // Makes the scores at elements i and i + 1 of each tile, which are one row's, attention weights.
  __device__ void Normalise(int32_t i, const uint32_t (&allowed)[kPassMaskWords],
                            float (&scores)[kTiles][4]) const {
    constexpr float kForbidden = -std::numeric_limits<float>::infinity();
    float largest = kForbidden;
    for (int32_t j = 0; j < kTiles; ++j) {
      const uint32_t bits = allowed[j / 4] >> (2 * pair_);
      for (int32_t k = 0; k < 2; ++k) {
        float& score = scores[j][i + k];
        score = (bits & 1u << (j % 4 * kTileNodes + k)) != 0 ? score : kForbidden;
        largest = score > largest ? score : largest;
      }
    }
    largest = RowMax(largest);
    const float shift = largest == kForbidden ? 0 : -largest * kLog2E;  // 0: a missing row
    float sum = 0;
    for (auto& tile : scores) {
      for (int32_t k = 0; k < 2; ++k) {
        sum += tile[i + k] = FastExp2(tile[i + k] * kLog2E + shift);
      }
    }
    sum = RowSum(sum);
    const float factor = sum > 0 ? FastReciprocal(sum) : 0;
    for (auto& tile : scores) {
      for (int32_t k = 0; k < 2; ++k) tile[i + k] *= factor;
    }
  }

  // Computes and writes the gradient of the glimpses, and its products with them, the mean
  // gradients of the attention weights, for the lane's two rows.
  __device__ void WriteGlimpseGradient(float (&d_glimpse)[2][4], float (&means)[2]) const {
    float sums[kChains][2][4] = {};
    for (int32_t j = 0; j < kTiles; ++j) {
      const Left d_dots = RowPairs(memory_.d_dots, DotStride(kTiles), j);
      for (int32_t s = 0; s < 2; ++s) {
        Products::Add(d_dots, NodePair(memory_.logit_keys, j, s), sums[j % kChains][s]);
      }
    }
    if constexpr (kChains == 2) AddTiles(sums[1], sums[0]);
    for (float& mean : means) mean = 0;
    for (int32_t s = 0; s < 2; ++s) {
      for (int32_t i = 0; i < 4; ++i) d_glimpse[s][i] = sums[0][s][i];
      for (int32_t i = 0; i < 2; ++i) {
        const float* const at = memory_.glimpses + (row_ + 8 * i) * stride_ + column_;
        const Pair glimpse = *reinterpret_cast<const Pair*>(at + 8 * s + 2 * pair_);
        means[i] += glimpse.values[0] * d_glimpse[s][2 * i];
        means[i] += glimpse.values[1] * d_glimpse[s][2 * i + 1];
      }
    }
    for (float& mean : means) mean = RowSum(mean);
    StoreHead(memory_.d_glimpses, d_glimpse);
    __syncwarp();
  }

  // Tile `begin` + `first` of all, which is tile `first` of a round.
  struct GroupStart {
    int32_t begin = 0;
    int32_t first = 0;
  };

  // Computes the gradient of the scores of a group of a round's tiles from that of the glimpses.
  // Writes it to Turned() if it is `summed`, and with chunk 0 adds the gradient of the scaled
  // queries to `d_query`.
  __device__ void AddScoreGradient(const TileStep& step, bool summed, const GroupStart& start,
                                   const Left (&d_glimpses)[2], const float (&means)[2],
                                   float (&d_query)[2][4]) const {
    float d_scores[kGroup][4] = {};
    const auto each = [&](const auto& body) {
      for (int32_t g = 0; g < kGroup; ++g) {
        const int32_t j = start.begin + start.first + g;
        if (start.first + g < kRoundTiles && j < kTiles) body(g, j);
      }
    };
    each([&](int32_t g, int32_t j) {
      for (int32_t s = 0; s < 2; ++s) {
        Products::Add(d_glimpses[s], HeadPairs(memory_.values, j, s), d_scores[g]);
      }
    });
    each([&](int32_t g, int32_t j) {
      for (int32_t i = 0; i < 4; ++i) {
        d_scores[g][i] = weights_[j][i] * (d_scores[g][i] - means[i / 2]);
      }
    });
    if (step.chunk == 0) {
      each([&](int32_t g, int32_t j) {
        const Left left = Products::LeftOf(d_scores[g]);
        for (int32_t s = 0; s < 2; ++s) {
          Products::Add(left, NodePair(memory_.keys, j, s), d_query[s]);
        }
      });
    }
    if (!summed) return;
    each([&](int32_t g, int32_t) {
      StoreTile(Turned(), DotStride(kRoundTiles), start.first + g, d_scores[g]);
    });
  }

  // Adds the gradients of a round's keys, whose score gradients are in Turned(), and of its values.
  __device__ void AddRound(int32_t round, HeadSums<kSumTiles>& sums) const {
    const int32_t begin = round * kRoundTiles;  // of all tiles
    const int32_t first = kSumTiles == kTiles ? begin : 0;
    const int32_t end = kTiles - begin < kRoundTiles ? kTiles - begin : kRoundTiles;
    __syncwarp();
    AddTurned<kRoundTiles>(memory_.queries, Turned(), DotStride(kRoundTiles), end, sums.keys,
                           first);
    __syncwarp();
    for (int32_t j = 0; j < kRoundTiles; ++j) {
      if (begin + j >= kTiles) break;
      StoreTile(Turned(), DotStride(kRoundTiles), j, weights_[begin + j]);
    }
    __syncwarp();
    AddTurned<kRoundTiles>(memory_.d_glimpses, Turned(), DotStride(kRoundTiles), end, sums.values,
                           first);
    __syncwarp();
  }

  // Adds the product of the head's transposed columns of `left` [16, H] with `right` [16, 8 * end],
  // end <= kCount, to the sums from tile `first` on.
  template <int32_t kCount>
  __device__ void AddTurned(const float* left, const float* right, int32_t right_stride,
                            int32_t end, float (&sums)[kSumTiles][4], int32_t first = 0) const {
    for (int32_t u = 0; u < 2; ++u) {
      const int32_t step = 8 * u + 2 * pair_;
      const float* const at = left + step * stride_ + column_ + row_;
      const Left columns = Products::LeftOf(at[0], at[8], at[stride_], at[stride_ + 8]);
      for (int32_t j = 0; j < kCount; ++j) {
        if (j >= end) break;
        const float* const from = right + step * right_stride + j * kTileNodes + row_;
        Products::Add(columns, Products::RightOf(from[0], from[right_stride]), sums[first + j]);
      }
    }
  }

  const DecoderTask<float>& task_;
  const Memory& memory_;
  const int32_t warp_;
  const int32_t hidden_;
  const int32_t stride_;
  const int32_t row_;         // row of the lane's first elements in a product
  const int32_t pair_;        // number of its pair of columns
  const int32_t column_;      // first column of the head
  float weights_[kTiles][4];  // attention weights
};

}  // namespace vrp
