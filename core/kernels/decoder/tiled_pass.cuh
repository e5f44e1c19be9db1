// A tile of a second pass: scores of 16 steps of one trajectory and their gradient, as products of
// small matrices. Each warp of a block computes one head. As in FlashAttention's backward pass (Dao
// et al. 2022), attention weights stay in registers, and so do the gradients' sums, until all steps
// are done. attention_decoder.h defines the results.
#pragma once

#include <cstdint>
#include <limits>

#include "core/kernels/decoder/decoder_program_score.h"
#include "core/kernels/decoder/tiled_pass_plan.h"
#include "core/kernels/launch/fast_math.cuh"
#include "core/kernels/launch/split_products.cuh"
#include "core/kernels/launch/warp_group.cuh"

namespace vrp {

// A block's arrays in shared memory. Rows of H floats are RowStride(H) apart.
struct TileMemory {
  PassRow* rows = nullptr;  // [16]
  float* keys = nullptr;    // [8 * tiles, H], and the next two; 0 after the last node
  float* values = nullptr;
  float* logit_keys = nullptr;
  float* queries = nullptr;     // [16, H], scaled
  float* glimpses = nullptr;    // [16, H]; later the gradient of the unscaled queries
  float* d_glimpses = nullptr;  // [16, H]
  float* dots = nullptr;        // [16, 8 * tiles]: glimpse . logit key; later its gradient
  float* turned = nullptr;      // [M, 16, 8 * sum_tiles]: a head's matrix, to read it by columns
  float* terms = nullptr;       // [16]: log-likelihoods
};

// Sums of a head's gradient over the steps, transposed: [16, 8 * kSumTiles] in AddProductTf32's
// order.
template <int32_t kSumTiles>
struct HeadSums {
  float keys[kSumTiles][4] = {};
  float values[kSumTiles][4] = {};
  float logit_keys[kSumTiles][4] = {};
};

// A compiled size. kHidden is H, or 0 if only the task has it.
template <int32_t kTilesOfAll, int32_t kTilesOfChunk, int32_t kHidden, bool kExactProducts>
struct TiledPassSize {
  static constexpr int32_t kTiles = kTilesOfAll;
  static constexpr int32_t kSumTiles = kTilesOfChunk;
  static constexpr bool kExact = kExactProducts;

  static __device__ int32_t HiddenOf(const DecoderTask<float>& task) {
    return kHidden > 0 ? kHidden : task.hidden;
  }
};

// The parameters of a trajectory's steps.
struct TileStep {
  float weight = 0;
  float smoothing = 0;
  int32_t chunk = 0;
  bool gradient = false;  // whether to compute the gradient
};

// One warp's part of a tile. `warp` is its head.
template <typename Size>
class TileHead {
  static constexpr int32_t kTiles = Size::kTiles;
  static constexpr int32_t kSumTiles = Size::kSumTiles;
  using Products = TileProducts<Size::kExact>;
  using Left = typename Products::Left;
  using Right = typename Products::Right;

 public:
  __device__ TileHead(const DecoderTask<float>& task, const TileMemory& memory, int32_t warp)
      : task_(task),
        memory_(memory),
        warp_(warp),
        hidden_(Size::HiddenOf(task)),
        stride_(RowStride(hidden_)),
        row_(static_cast<int32_t>(threadIdx.x) / 4),
        pair_(static_cast<int32_t>(threadIdx.x) % 4),
        column_(warp * kTiledHead) {}

  // Computes attention weights and glimpses from the queries.
  __device__ void Attend() {
    WriteScores();
    Normalise(0, memory_.rows[row_].allowed);
    Normalise(2, memory_.rows[row_ + 8].allowed);
    for (auto& tile : glimpse_) Clear(tile);
    for (int32_t j = 0; j < kTiles; ++j) {
      const Left weights = Products::LeftOf(weights_[j]);
      for (int32_t s = 0; s < 2; ++s) {
        Products::Add(weights, NodePair(memory_.values, j, s), glimpse_[s]);
      }
    }
    Store(memory_.glimpses, glimpse_);
  }

  // Computes the dot products of the glimpses with the logit keys of every M-th tile of nodes.
  __device__ void WriteDots() const {
    for (int32_t j = warp_; j < kTiles; j += hidden_ / kTiledHead) {
      float dots[4] = {};
      for (int32_t k = 0; k < hidden_; k += 8) {
        Products::Add(Rows(memory_.glimpses, k), Nodes(memory_.logit_keys, j, k), dots);
      }
      StoreTile(memory_.dots, DotStride(kTiles), j, dots);
    }
  }

  // Computes the log-likelihood of every M-th row, and replaces its dot products by their gradient.
  __device__ void ScoreRows(const TileStep& step) const {
    for (int32_t r = warp_; r < kTileRows; r += hidden_ / kTiledHead) {
      ScoreRow(step, memory_.rows[r], memory_.dots + r * DotStride(kTiles), memory_.terms + r);
    }
  }

  // Adds the head's gradient to `sums`, and writes that of the queries over the glimpses.
  __device__ void AddGradient(const TileStep& step, HeadSums<kSumTiles>& sums) {
    float d_glimpse[2][4] = {};
    for (int32_t j = 0; j < kTiles; ++j) {
      const Left d_dots = RowPairs(memory_.dots, DotStride(kTiles), j);
      for (int32_t s = 0; s < 2; ++s) {
        Products::Add(d_dots, NodePair(memory_.logit_keys, j, s), d_glimpse[s]);
      }
    }
    Store(memory_.d_glimpses, d_glimpse);
    __syncwarp();
    const int32_t first = step.chunk * kSumTiles;
    const int32_t end = kTiles - first < kSumTiles ? kTiles - first : kSumTiles;
    AddTurned(memory_.glimpses, memory_.dots + first * kTileNodes, DotStride(kTiles), end,
              sums.logit_keys);
    float d_query[2][4] = {};
    WriteScoreGradient(step, d_glimpse, d_query);
    __syncwarp();
    AddTurned(memory_.queries, Turned(), DotStride(kSumTiles), end, sums.keys);
    __syncwarp();
    for (int32_t j = 0; j < kTiles; ++j) {
      if (IsSummed(step, j)) StoreOperand(Turned(), DotStride(kSumTiles), j - first, weights_[j]);
    }
    __syncwarp();
    AddTurned(memory_.d_glimpses, Turned(), DotStride(kSumTiles), end, sums.values);
    if (step.chunk != 0) return;
    for (int32_t s = 0; s < 2; ++s) {
      for (float& value : d_query[s]) value *= task_.query_scale;
      StoreTile(memory_.glimpses + column_, stride_, s, d_query[s]);
    }
  }

 private:
  static __device__ void Clear(float (&tile)[4]) {
    for (float& value : tile) value = 0;
  }
  static __device__ bool IsSummed(const TileStep& step, int32_t tile) {
    return tile / kSumTiles == step.chunk;
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
    return memory_.turned + warp_ * kTileRows * DotStride(kSumTiles);
  }

  // Operands of products. Rows: columns k .. k + 7 of 16 steps' rows of H. Nodes: the transposed
  // columns of tile j's nodes. HeadPairs and NodePair pair neighbouring columns and nodes as
  // LeftOf does.
  __device__ Left Rows(const float* rows, int32_t k) const {
    const float* const at = rows + row_ * stride_ + k + pair_;
    return Products::StoredLeft(at[0], at[8 * stride_], at[4], at[8 * stride_ + 4]);
  }
  __device__ Right Nodes(const float* nodes, int32_t j, int32_t k) const {
    const float* const at = nodes + (j * kTileNodes + row_) * stride_ + k + pair_;
    return Products::StoredRight(at[0], at[4]);
  }
  __device__ Right HeadPairs(const float* nodes, int32_t j, int32_t s) const {
    const float* const at = nodes + (j * kTileNodes + row_) * stride_ + column_ + 8 * s + 2 * pair_;
    return Products::StoredRight(at[0], at[1]);
  }
  __device__ Right NodePair(const float* nodes, int32_t j, int32_t s) const {
    const float* const at = nodes + (j * kTileNodes + 2 * pair_) * stride_ + column_ + 8 * s + row_;
    return Products::StoredRight(at[0], at[stride_]);
  }
  __device__ Left RowPairs(const float* dots, int32_t stride, int32_t j) const {
    const float* const at = dots + row_ * stride + j * kTileNodes + 2 * pair_;
    return Products::StoredLeft(at[0], at[8 * stride], at[1], at[8 * stride + 1]);
  }

  // Writes a result's [16, 8] to tile j of rows that are `stride` apart.
  __device__ void StoreTile(float* rows, int32_t stride, int32_t j, const float (&tile)[4]) const {
    float* const at = rows + row_ * stride + j * kTileNodes + 2 * pair_;
    at[0] = tile[0];
    at[1] = tile[1];
    at[8 * stride] = tile[2];
    at[8 * stride + 1] = tile[3];
  }
  __device__ void StoreOperand(float* rows, int32_t stride, int32_t j,
                               const float (&tile)[4]) const {
    float stored[4];
    for (int32_t i = 0; i < 4; ++i) stored[i] = Products::Stored(tile[i]);
    StoreTile(rows, stride, j, stored);
  }
  // Writes the head's columns, which other products read.
  __device__ void Store(float* rows, const float (&tiles)[2][4]) const {
    for (int32_t s = 0; s < 2; ++s) StoreOperand(rows + column_, stride_, s, tiles[s]);
  }

  __device__ void WriteScores() {
    const Left queries[2] = {Rows(memory_.queries, column_), Rows(memory_.queries, column_ + 8)};
    for (int32_t j = 0; j < kTiles; ++j) {
      Clear(weights_[j]);
      for (int32_t s = 0; s < 2; ++s) {
        Products::Add(queries[s], Nodes(memory_.keys, j, column_ + 8 * s), weights_[j]);
      }
    }
  }

  // Makes the scores at elements i and i + 1 of each tile, which are one row's, attention weights.
  __device__ void Normalise(int32_t i, const uint32_t (&allowed)[kPassMaskWords]) {
    constexpr float kForbidden = -std::numeric_limits<float>::infinity();
    float largest = kForbidden;
    for (int32_t j = 0; j < kTiles; ++j) {
      const uint32_t bits = allowed[j / 4] >> (j % 4 * kTileNodes + 2 * pair_);
      for (int32_t k = 0; k < 2; ++k) {
        float& score = weights_[j][i + k];
        if ((bits >> k & 1) == 0) score = kForbidden;
        largest = score > largest ? score : largest;
      }
    }
    largest = RowMax(largest);
    if (largest == kForbidden) largest = 0;  // a missing row
    float sum = 0;
    for (auto& tile : weights_) {
      for (int32_t k = 0; k < 2; ++k) {
        sum += tile[i + k] = FastExp2((tile[i + k] - largest) * kLog2E);
      }
    }
    sum = RowSum(sum);
    const float factor = sum > 0 ? FastReciprocal(sum) : 0;
    for (auto& tile : weights_) {
      for (int32_t k = 0; k < 2; ++k) tile[i + k] *= factor;
    }
  }

  // See LogitGradient in decoder_program_gradient.h.
  __device__ void ScoreRow(const TileStep& step, const PassRow& row, float* dots,
                           float* term) const {
    constexpr int32_t kWords = (kTiles + 3) / 4;
    constexpr float kForbidden = -std::numeric_limits<float>::infinity();
    const WarpLanes lanes;
    const auto lane = static_cast<int32_t>(threadIdx.x);
    float tanhs[kWords];
    float largest = kForbidden;
    for (int32_t k = 0; k < kWords; ++k) {
      const bool allowed = (row.allowed[k] >> lane & 1) != 0;
      tanhs[k] = allowed ? FastTanh(dots[32 * k + lane] * task_.logit_scale) : 0;
      const float logit = allowed ? task_.clip * tanhs[k] : kForbidden;
      largest = logit > largest ? logit : largest;
    }
    largest = lanes.template Max<float>(WarpLanes::kLanes, [&](int32_t) { return largest; });
    float exps[kWords];
    float own_total = 0;
    float own_sum = 0;  // of the logits
    float chosen = 0;   // the choice's logit, on one lane
    for (int32_t k = 0; k < kWords; ++k) {
      const bool allowed = (row.allowed[k] >> lane & 1) != 0;
      exps[k] = allowed ? FastExp2((task_.clip * tanhs[k] - largest) * kLog2E) : 0;
      own_total += exps[k];
      own_sum += task_.clip * tanhs[k];
      if (row.choice == 32 * k + lane) chosen = task_.clip * tanhs[k];
    }
    const auto sum = [&](float value) {
      return lanes.template Sum<float>(WarpLanes::kLanes, [&](int32_t) { return value; });
    };
    const float total = sum(own_total);
    const float share =
        row.allowed_count > 0 ? step.smoothing / static_cast<float>(row.allowed_count) : 0;
    const float logit_sum = step.smoothing > 0 ? sum(own_sum) : 0;
    const float chosen_logit = sum(chosen);
    const float factor = step.weight * task_.clip * task_.logit_scale;
    const float per_total = FastReciprocal(total);
    for (int32_t k = 0; k < kWords; ++k) {
      const int32_t n = 32 * k + lane;
      if (n >= kTiles * kTileNodes) continue;
      const bool allowed = (row.allowed[k] >> lane & 1) != 0;
      const float wanted = share + (n == row.choice ? 1 - step.smoothing : 0);
      const float d_dot = factor * (wanted - exps[k] * per_total) * (1 - tanhs[k] * tanhs[k]);
      dots[n] = allowed ? Products::Stored(d_dot) : 0;
    }
    lanes.Once([&] {
      const float normaliser = largest + std::log(total);
      *term = row.allowed_count == 0 ? 0
                                     : (1 - step.smoothing) * (chosen_logit - normaliser) +
                                           share * logit_sum - step.smoothing * normaliser;
    });
  }

  // Computes the gradient of the scores from that of the glimpses. Writes the chunk's part to
  // Turned(), and with chunk 0 adds the gradient of the scaled queries to `d_query`.
  __device__ void WriteScoreGradient(const TileStep& step, const float (&d_glimpse)[2][4],
                                     float (&d_query)[2][4]) const {
    float means[2] = {};
    for (int32_t s = 0; s < 2; ++s) {
      for (int32_t i = 0; i < 4; ++i) means[i / 2] += glimpse_[s][i] * d_glimpse[s][i];
    }
    for (float& mean : means) mean = RowSum(mean);
    const Left d_glimpses[2] = {Products::LeftOf(d_glimpse[0]), Products::LeftOf(d_glimpse[1])};
    for (int32_t j = 0; j < kTiles; ++j) {
      if (step.chunk != 0 && !IsSummed(step, j)) continue;
      float d_scores[4] = {};
      for (int32_t s = 0; s < 2; ++s) {
        Products::Add(d_glimpses[s], HeadPairs(memory_.values, j, s), d_scores);
      }
      for (int32_t i = 0; i < 4; ++i) {
        d_scores[i] = weights_[j][i] * (d_scores[i] - means[i / 2]);
      }
      if (IsSummed(step, j)) {
        StoreOperand(Turned(), DotStride(kSumTiles), j - step.chunk * kSumTiles, d_scores);
      }
      if (step.chunk != 0) continue;
      const Left left = Products::LeftOf(d_scores);
      for (int32_t s = 0; s < 2; ++s) Products::Add(left, NodePair(memory_.keys, j, s), d_query[s]);
    }
  }

  // Adds the product of the head's transposed columns of `left` [16, H] with `right` [16, 8 * end].
  __device__ void AddTurned(const float* left, const float* right, int32_t right_stride,
                            int32_t end, float (&sums)[kSumTiles][4]) const {
    for (int32_t u = 0; u < 2; ++u) {
      const int32_t step = 8 * u + 2 * pair_;
      const float* const at = left + step * stride_ + column_ + row_;
      const Left columns = Products::StoredLeft(at[0], at[8], at[stride_], at[stride_ + 8]);
      for (int32_t j = 0; j < kSumTiles; ++j) {
        if (j >= end) break;
        const float* const from = right + step * right_stride + j * kTileNodes + row_;
        Products::Add(columns, Products::StoredRight(from[0], from[right_stride]), sums[j]);
      }
    }
  }

  const DecoderTask<float>& task_;
  const TileMemory& memory_;
  const int32_t warp_;
  const int32_t hidden_;
  const int32_t stride_;
  const int32_t row_;     // row of the lane's first elements in a product
  const int32_t pair_;    // number of its pair of columns
  const int32_t column_;  // first column of the head
  float weights_[kTiles][4];
  float glimpse_[2][4];
};

}  // namespace vrp
