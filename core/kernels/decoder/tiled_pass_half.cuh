// A tile of a second pass or rollout with coarse products: what tiled_pass.cuh computes, with
// operands in fp16, whose precision is that of TF32. A product of fp16 has twice the inner size of
// one of TF32, and one load fetches the operands of two.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/decoder/tiled_memory.cuh"
#include "core/kernels/launch/fast_math.cuh"

namespace vrp {

// One warp's part of a tile. `warp` is its head. Operands of products are four matrices [8, 8] in
// LoadMatrices' order. As the left operand [16, 16] these are its upper left, lower left, upper
// right and lower right quarter. Two right operands [16, 8] have two each.
template <typename Size>
class HalfTileHead {
  static constexpr int32_t kTiles = Size::kTiles;
  static constexpr int32_t kPairs = PairedTiles(kTiles) / 2;
  static constexpr int32_t kStride = HalfStride(kUsualHidden);
  static constexpr int32_t kGradientStride = HalfStride(PairedTiles(kTiles) * kTileNodes);
  using Memory = TileMemory<Fp16Bits>;
  using Matrices = uint32_t[4];
  static_assert(Size::kHidden == kUsualHidden && kTileRows == 16 && kTiledHead == 16);

 public:
  __device__ HalfTileHead(const DecoderTask<float>& task, const Memory& memory, int32_t warp)
      : task_(task),
        memory_(memory),
        warp_(warp),
        lane_(static_cast<int32_t>(threadIdx.x)),
        row_(lane_ / 4),
        pair_(lane_ % 4),
        column_(warp * kTiledHead),
        head_(QuartersAt(memory.keys + column_, kStride)),
        turned_(TurnedQuartersAt(memory.keys + column_)) {}

  // Computes the head's attention weights and glimpses from its queries.
  __device__ void Attend(const PassRow* rows) {
    FindWeights(rows);
    float glimpse[2][2][4] = {};  // sums of even and of odd pairs, which do not wait for each other
#pragma unroll
    for (int32_t p = 0; p < kPairs; ++p) {
      AddByNodes(weights_[p], memory_.values, p, glimpse[p % 2]);
    }
    for (int32_t s = 0; s < 2; ++s) {
      for (int32_t i = 0; i < 4; ++i) {
        glimpse[0][s][i] = (glimpse[0][s][i] + glimpse[1][s][i]) * factors_[i / 2];
      }
      auto* const at = reinterpret_cast<uint32_t*>(HeadAt(memory_.glimpses, s));
      at[0] = PackHalves(glimpse[0][s][0], glimpse[0][s][1]);
      at[8 * kStride / 2] = PackHalves(glimpse[0][s][2], glimpse[0][s][3]);
    }
  }

  // Computes the dot products of the glimpses with the logit keys of every M-th tile of nodes.
  __device__ void WriteDots() const {
    const MatrixRow all_keys =
        MatrixRowAt(memory_.logit_keys + lane_ % 8 * kStride + lane_ / 8 * 8);
    const MatrixRow all_glimpses = QuartersAt(memory_.glimpses, kStride);
    for (int32_t j = warp_; j < kTiles; j += Size::kHidden / kTiledHead) {
      float sums[2][4] = {};  // that do not wait for each other
      for (int32_t k = 0; k < Size::kHidden; k += 32) {
        Matrices keys;
        LoadMatrices(all_keys, j * kTileNodes * kStride + k, keys);
        for (int32_t i = 0; i < 2; ++i) {
          Matrices glimpses;
          LoadMatrices(all_glimpses, k + 16 * i, glimpses);
          AddProductFp16(glimpses, keys[2 * i], keys[2 * i + 1], sums[i]);
        }
      }
      float* const at = memory_.dots + row_ * DotStride(kTiles) + j * kTileNodes + 2 * pair_;
      *reinterpret_cast<Pair*>(at) = {sums[0][0] + sums[1][0], sums[0][1] + sums[1][1]};
      *reinterpret_cast<Pair*>(at + 8 * DotStride(kTiles)) = {sums[0][2] + sums[1][2],
                                                              sums[0][3] + sums[1][3]};
    }
  }

  // Adds the head's gradient, times step.scale, to `sums`, and writes that of its queries.
  __device__ void AddGradient(const TileStep& step, HeadSums<Size::kSumTiles>& sums) {
    static_assert(Size::kSumTiles == kTiles);
    Matrices glimpses;  // the head's columns, transposed
    LoadTurnedMatrices(turned_, OffsetOf(memory_.glimpses), glimpses);
    const MatrixRow d_dots = QuartersAt(memory_.d_dots, kGradientStride);
    float sum[2][2][4] = {};  // of the gradient of the glimpses, as in Attend()
#pragma unroll
    for (int32_t p = 0; p < kPairs; ++p) {
      Matrices left;
      LoadMatrices(d_dots, 16 * p, left);
      AddByNodes(left, memory_.logit_keys, p, sum[p % 2]);
      Matrices right;
      LoadTurnedMatrices(d_dots, 16 * p, right);
      AddByRows(glimpses, right, p, sums.logit_keys);
    }
    for (int32_t s = 0; s < 2; ++s) {
      for (int32_t i = 0; i < 4; ++i) sum[0][s][i] += sum[1][s][i];
    }
    AddScoreGradient(step, sum[0], sums);
  }

 private:
  struct alignas(8) Pair {
    float values[2];
  };

  // Returns the row that the lane passes to load the four quarters of 16 rows of 16 numbers.
  __device__ MatrixRow QuartersAt(const Fp16Bits* rows, int32_t stride) const {
    return MatrixRowAt(rows + lane_ % 16 * stride + lane_ / 16 * 8);
  }
  // As above, if the upper right quarter is loaded before the lower left one.
  __device__ MatrixRow TurnedQuartersAt(const Fp16Bits* rows) const {
    return MatrixRowAt(rows + (lane_ % 8 + lane_ / 16 * 8) * kStride + lane_ / 8 % 2 * 8);
  }
  // Returns the offset of an array's rows from those of the keys.
  __device__ int32_t OffsetOf(const Fp16Bits* rows) const {
    return static_cast<int32_t>(rows - memory_.keys);
  }
  // Returns where the lane's first elements of a result with 8 of the head's columns belong.
  __device__ Fp16Bits* HeadAt(Fp16Bits* rows, int32_t s) const {
    return rows + row_ * kStride + column_ + 8 * s + 2 * pair_;
  }

  // Loads the head's columns of the nodes of pair p, transposed: a right operand for each tile.
  __device__ void LoadNodes(const Fp16Bits* nodes, int32_t p, Matrices& right) const {
    LoadMatrices(turned_, OffsetOf(nodes) + 16 * p * kStride, right);
  }
  // Adds the product of `left` [16 rows, nodes of pair p] with the head's columns of the nodes.
  __device__ void AddByNodes(const Matrices& left, const Fp16Bits* nodes, int32_t p,
                             float (&sums)[2][4]) const {
    Matrices right;
    LoadTurnedMatrices(head_, OffsetOf(nodes) + 16 * p * kStride, right);
    for (int32_t s = 0; s < 2; ++s) AddProductFp16(left, right[2 * s], right[2 * s + 1], sums[s]);
  }
  // Adds the product of `left` [head's columns, 16 rows] with `right` [16 rows, nodes of pair p].
  __device__ static void AddByRows(const Matrices& left, const Matrices& right, int32_t p,
                                   float (&sums)[kTiles][4]) {
    for (int32_t u = 0; u < 2; ++u) {
      if (2 * p + u < kTiles) {
        AddProductFp16(left, right[2 * u], right[2 * u + 1], sums[2 * p + u]);
      }
    }
  }

  // Finds weights_ and factors_.
  __device__ void FindWeights(const PassRow* rows) {
    float scores[kTiles][4] = {};
    Matrices queries;
    LoadMatrices(head_, OffsetOf(memory_.queries), queries);
#pragma unroll
    for (int32_t p = 0; p < kPairs; ++p) {
      Matrices keys;
      LoadNodes(memory_.keys, p, keys);
      AddByRows(queries, keys, p, scores);
    }
    factors_[0] = Exponentiate(0, rows[row_].allowed, scores);
    factors_[1] = Exponentiate(2, rows[row_ + 8].allowed, scores);
#pragma unroll
    for (int32_t p = 0; p < kPairs; ++p) {
      for (int32_t k = 0; k < 4; ++k) {
        const int32_t j = 2 * p + k / 2;
        const int32_t i = k % 2 * 2;
        weights_[p][k] = j < kTiles ? PackHalves(scores[j][i], scores[j][i + 1]) : 0;
      }
    }
  }

  // Replaces the scores at elements i and i + 1 of each tile, which are one row's, by attention
  // weights without their common factor, which it returns.
  __device__ float Exponentiate(int32_t i, const uint32_t (&allowed)[kPassMaskWords],
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
    for (int32_t offset = 1; offset <= 2; offset *= 2) {
      const float other = __shfl_xor_sync(WarpLanes::kAll, largest, offset);
      largest = other > largest ? other : largest;
    }
    const float shift = largest == kForbidden ? 0 : -largest * kLog2E;  // 0: a missing row
    float sum = 0;
    for (auto& tile : scores) {
      for (int32_t k = 0; k < 2; ++k) {
        sum += tile[i + k] = FastExp2(tile[i + k] * kLog2E + shift);
      }
    }
    sum = RowSum(sum);
    return sum > 0 ? FastReciprocal(sum) : 0;
  }

  // Returns the sum over the four lanes of a row.
  static __device__ float RowSum(float value) {
    value += __shfl_xor_sync(WarpLanes::kAll, value, 1);
    return value + __shfl_xor_sync(WarpLanes::kAll, value, 2);
  }

  // Adds the gradients of keys and values to `sums`, and writes that of the queries, from the
  // gradient of the glimpses.
  __device__ void AddScoreGradient(const TileStep& step, float (&d_glimpse)[2][4],
                                   HeadSums<Size::kSumTiles>& sums) {
    // Takes over the factors of weights_. A gradient of a score is weights_ * (the node's value
    // minus the mean one), each times d_glimpse.
    float means[2] = {};
    Matrices left;
    for (int32_t s = 0; s < 2; ++s) {
      for (int32_t i = 0; i < 4; ++i) d_glimpse[s][i] *= factors_[i / 2];
      const auto* const glimpse = reinterpret_cast<const uint32_t*>(HeadAt(memory_.glimpses, s));
      for (int32_t i = 0; i < 2; ++i) {
        const uint32_t bits = PackHalves(d_glimpse[s][2 * i], d_glimpse[s][2 * i + 1]);
        const uint32_t other = glimpse[i * 8 * kStride / 2];
        left[2 * s + i] = bits;
        for (const bool upper : {false, true}) {
          means[i] += UnpackHalf(other, upper) * UnpackHalf(bits, upper);
        }
      }
    }
    for (float& mean : means) mean = RowSum(mean);
    Matrices queries;  // the head's columns, transposed
    LoadTurnedMatrices(turned_, OffsetOf(memory_.queries), queries);
    float d_query[2][4] = {};
#pragma unroll
    for (int32_t p = 0; p < kPairs; ++p) {
      Matrices d_scores;
      FindScoreGradient(left, means, p, d_scores);
      AddByNodes(d_scores, memory_.keys, p, d_query);
      AddTurned(queries, d_scores, p, sums.keys);
    }
    const Matrices turned = {TurnMatrix(left[0]), TurnMatrix(left[2]), TurnMatrix(left[1]),
                             TurnMatrix(left[3])};
#pragma unroll
    for (int32_t p = 0; p < kPairs; ++p) AddTurned(turned, weights_[p], p, sums.values);
    const float scale = task_.query_scale / step.scale;
    for (int32_t s = 0; s < 2; ++s) {
      float* const at =
          memory_.d_queries + row_ * RowStride(kUsualHidden) + column_ + 8 * s + 2 * pair_;
      *reinterpret_cast<Pair*>(at) = {d_query[s][0] * scale, d_query[s][1] * scale};
      *reinterpret_cast<Pair*>(at + 8 * RowStride(kUsualHidden)) = {d_query[s][2] * scale,
                                                                    d_query[s][3] * scale};
    }
  }

  // Computes the gradient of the scores of pair p from that of the glimpses.
  __device__ void FindScoreGradient(const Matrices& d_glimpses, const float (&means)[2], int32_t p,
                                    Matrices& d_scores) const {
    Matrices values;
    LoadNodes(memory_.values, p, values);
    for (int32_t u = 0; u < 2; ++u) {
      float tile[4] = {};
      if (2 * p + u < kTiles) AddProductFp16(d_glimpses, values[2 * u], values[2 * u + 1], tile);
      for (int32_t i = 0; i < 2; ++i) {
        const uint32_t weights = weights_[p][2 * u + i];
        const float low = UnpackHalf(weights, false) * (tile[2 * i] - means[i]);
        const float high = UnpackHalf(weights, true) * (tile[2 * i + 1] - means[i]);
        d_scores[2 * u + i] = 2 * p + u < kTiles ? PackHalves(low, high) : 0;
      }
    }
  }

  // Adds the product of `left` [head's columns, 16 rows] with `result` [16 rows, nodes of pair p],
  // which is distributed as the left operand of AddByNodes.
  static __device__ void AddTurned(const Matrices& left, const Matrices& result, int32_t p,
                                   float (&sums)[kTiles][4]) {
    Matrices right;
    for (int32_t k = 0; k < 4; ++k) {
      right[k] = 2 * p + k / 2 < kTiles ? TurnMatrix(result[k]) : 0;
    }
    AddByRows(left, right, p, sums);
  }

  const DecoderTask<float>& task_;
  const Memory& memory_;
  const int32_t warp_;
  const int32_t lane_;
  const int32_t row_;              // row of the lane's first elements in a product's result
  const int32_t pair_;             // number of its pair of columns
  const int32_t column_;           // first column of the head
  const MatrixRow head_, turned_;  // QuartersAt and TurnedQuartersAt its columns of the keys
  // Attention weights without factors_, which are those of rows row_ and row_ + 8.
  Matrices weights_[kPairs];
  float factors_[2];
};

}  // namespace vrp
