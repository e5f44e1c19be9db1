// Scores of a tile's steps from their dot products, two rows to a warp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/kernels/decoder/tiled_memory.cuh"
#include "core/kernels/launch/fast_math.cuh"

namespace vrp {

// Half of a warp, which scores a row. Lane l has the nodes 32 k + 2 l and 32 k + 2 l + 1.
template <typename Size>
class RowScore {
  static constexpr int32_t kRowLanes = 16;
  static constexpr int32_t kNodes = Size::kTiles * kTileNodes;
  static constexpr int32_t kWords = (kNodes + 31) / 32;
  static_assert(32 * kWords >= Size::kNodeRows);
  using Element = typename Size::Element;
  struct alignas(8) Pair {
    float values[2];
  };

 public:
  __device__ RowScore(const DecoderTask<float>& task, const TileStep& step, float weight)
      : task_(task),
        step_(step),
        weight_(weight),
        lane_(static_cast<int32_t>(threadIdx.x) % kRowLanes) {}

  // Returns the row's log-likelihood, and writes the gradient of its dot products, times
  // step.scale, to `d_dots`, which may be `dots`. See LogitGradient in decoder_program_gradient.h.
  __device__ float Score(const PassRow& row, const float* dots, Element* d_dots) {
    ReadTanhs(row, dots);
    const float chosen_logit = task_.clip * FastTanh(dots[row.choice] * task_.logit_scale);
    float largest = -std::numeric_limits<float>::infinity();
    Each([&](int32_t k, int32_t i) {
      if (!IsAllowed(k, i)) return;
      const float logit = task_.clip * tanhs_[k][i];
      largest = logit > largest ? logit : largest;
    });
    for (int32_t offset = kRowLanes / 2; offset > 0; offset /= 2) {
      const float other = __shfl_xor_sync(WarpLanes::kAll, largest, offset);
      largest = other > largest ? other : largest;
    }
    float exps[kWords][2];
    float total = 0;
    float logit_sum = 0;
    Each([&](int32_t k, int32_t i) {
      const float logit = task_.clip * tanhs_[k][i];
      exps[k][i] = IsAllowed(k, i) ? FastExp2((logit - largest) * kLog2E) : 0;
      total += exps[k][i];
      logit_sum += logit;
    });
    for (int32_t offset = kRowLanes / 2; offset > 0; offset /= 2) {
      total += __shfl_xor_sync(WarpLanes::kAll, total, offset);
      logit_sum += __shfl_xor_sync(WarpLanes::kAll, logit_sum, offset);
    }
    __syncwarp();  // all lanes have read the choice's product
    const float share =
        row.allowed_count > 0 ? step_.smoothing / static_cast<float>(row.allowed_count) : 0;
    WriteGradient(row, exps, FastReciprocal(total), share, d_dots);
    const float normaliser = largest + std::log(total);
    return row.allowed_count == 0 ? 0
                                  : (1 - step_.smoothing) * (chosen_logit - normaliser) +
                                        share * logit_sum - step_.smoothing * normaliser;
  }

 private:
  template <typename Body>
  static __device__ void Each(const Body& body) {
    for (int32_t k = 0; k < kWords; ++k) {
      for (int32_t i = 0; i < 2; ++i) body(k, i);
    }
  }
  // Whether a row of kCount nodes has the lane's nodes 32 k + 2 lane + i.
  template <int32_t kCount>
  __device__ bool HasPair(int32_t k) const {
    return 32 * (k + 1) <= kCount || 32 * k + 2 * lane_ < kCount;
  }
  static __device__ void StorePair(const Pair& pair, float* to) {
    *reinterpret_cast<Pair*>(to) = pair;
  }
  static __device__ void StorePair(const Pair& pair, Fp16Bits* to) {
    *reinterpret_cast<uint32_t*>(to) = PackHalves(pair.values[0], pair.values[1]);
  }
  __device__ bool IsAllowed(int32_t k, int32_t i) const { return (allowed_[k] >> i & 1) != 0; }

  __device__ void ReadTanhs(const PassRow& row, const float* dots) {
    for (int32_t k = 0; k < kWords; ++k) {
      allowed_[k] = row.allowed[k] >> (2 * lane_);
      Pair pair = {};
      if (HasPair<kNodes>(k)) pair = *reinterpret_cast<const Pair*>(dots + 32 * k + 2 * lane_);
      for (int32_t i = 0; i < 2; ++i) {
        const float dot = IsAllowed(k, i) ? pair.values[i] : 0;
        tanhs_[k][i] = FastTanh(dot * task_.logit_scale);
      }
    }
  }

  __device__ void WriteGradient(const PassRow& row, const float (&exps)[kWords][2], float per_total,
                                float share, Element* d_dots) const {
    const float factor = weight_ * step_.scale * task_.clip * task_.logit_scale;
    for (int32_t k = 0; k < kWords; ++k) {
      const int32_t n = 32 * k + 2 * lane_;
      Pair pair;
      for (int32_t i = 0; i < 2; ++i) {
        const float wanted = share + (n + i == row.choice ? 1 - step_.smoothing : 0);
        const float d_dot =
            factor * (wanted - exps[k][i] * per_total) * (1 - tanhs_[k][i] * tanhs_[k][i]);
        pair.values[i] = IsAllowed(k, i) ? d_dot : 0;
      }
      if (HasPair<Size::kNodeRows>(k)) StorePair(pair, d_dots + n);
    }
  }

  const DecoderTask<float>& task_;
  const TileStep& step_;
  const float weight_;  // of the row's trajectory
  const int32_t lane_;
  uint32_t allowed_[kWords] = {};  // bit i: whether node 32 k + 2 lane + i is allowed
  float tanhs_[kWords][2] = {};    // 0 if forbidden
};

// Returns a factor with which the largest gradient of a dot product is about 1, so that few
// gradients are too small for fp16. `weights` are those of an instance's trajectories. All warps of
// all blocks of an instance return the same.
template <typename Size>
__device__ float GradientScale(const DecoderTask<float>& task, const double* weights,
                               int32_t trajectories) {
  if (Size::kExact || weights == nullptr) return 1;
  float largest = 0;
  for (auto p = static_cast<int32_t>(threadIdx.x); p < trajectories; p += WarpLanes::kLanes) {
    const float weight = std::abs(static_cast<float>(weights[p]));
    largest = weight > largest ? weight : largest;
  }
  for (int32_t offset = WarpLanes::kLanes / 2; offset > 0; offset /= 2) {
    const float other = __shfl_xor_sync(WarpLanes::kAll, largest, offset);
    largest = other > largest ? other : largest;
  }
  // Finds the power of 2 by the exponents of floats, and keeps it and its inverse normal.
  constexpr int32_t kOne = 127;
  constexpr int32_t kMost = 100;
  const float bound = largest * std::abs(task.clip * task.logit_scale);
  int32_t power = kOne - static_cast<int32_t>(std::bit_cast<uint32_t>(bound) >> 23);
  power = power > kMost ? kMost : power;
  power = power < -kMost ? -kMost : power;
  return std::bit_cast<float>(static_cast<uint32_t>(power + kOne) << 23);
}

// Log-likelihoods of a warp's rows, those of each row on the half of the warp that scores it.
struct TileTerms {
  double own = 0;   // of the trajectory with which the tile begins
  double next = 0;  // of the one that follows it
};

// Scores the warp's rows, of which the tile's first `own` belong to its first trajectory. Adds
// their log-likelihoods to `terms`. `second` is 1 for the second half of memory.rows, and else 0.
template <typename Size>
__device__ void ScoreRows(const DecoderTask<float>& task,
                          const TileMemory<typename Size::Element>& memory, const TileStep& step,
                          int32_t second, int32_t own, TileTerms& terms) {
  constexpr int32_t kGradientStride =
      Size::kExact ? DotStride(Size::kTiles) : HalfStride(Size::kNodeRows);
  const auto warp = static_cast<int32_t>(threadIdx.y);
  for (int32_t pair = warp; pair < kTileRows / 2; pair += Size::HeadsOf(task)) {
    const int32_t r = 2 * pair + static_cast<int32_t>(threadIdx.x) / 16;
    const int32_t at = second * kTileRows + r;
    RowScore<Size> score(task, step,
                         static_cast<float>(memory.weights[2 * second + (r < own ? 0 : 1)]));
    const auto term =
        static_cast<double>(score.Score(memory.rows[at], memory.dots + r * DotStride(Size::kTiles),
                                        memory.d_dots + r * kGradientStride));
    terms.own += r < own ? term : 0;
    terms.next += r < own ? 0 : term;
  }
}

// Writes the sum of the warp's log-likelihoods to memory.terms.
template <typename Element>
__device__ void WriteTerm(const TileMemory<Element>& memory, double sum) {
  sum += __shfl_xor_sync(WarpLanes::kAll, sum, 16);
  if (threadIdx.x == 0) memory.terms[threadIdx.y] = sum;
}

}  // namespace vrp
