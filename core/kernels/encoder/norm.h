// Normalisation of each channel, forward and backward, in place. Uses the statistics of an
// instance's nodes (Ulyanov et al. 2016; biased variance) or frozen ones. vec.h states who may
// include this.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// The parameters of a norm of H channels.
template <typename T>
struct NormParameters {
  const T* scale;        // [H]
  const T* shift;        // [H]
  const T* mean;         // [H]; null: computed from the instance
  const T* inverse_std;  // [H]: 1 / sqrt(variance + eps); null without `mean`
};

// Term that is added to the variance, so that equal values do not divide by 0.
inline constexpr double kNormEpsilon = 1e-5;

// Returns 1 / sqrt(x) with full precision.
template <typename T>
inline __attribute__((always_inline)) Vec<T> InverseSqrt(Vec<T> x) {
#if VRP_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) return static_cast<T>(1) / _mm512_sqrt_ps(x);
  if constexpr (sizeof(T) == 8) return static_cast<T>(1) / _mm512_sqrt_pd(x);
#else
  if constexpr (sizeof(T) == 4) return static_cast<T>(1) / _mm256_sqrt_ps(x);
  if constexpr (sizeof(T) == 8) return static_cast<T>(1) / _mm256_sqrt_pd(x);
#endif
}

// Normalises z [nodes, H] in place, and writes y [nodes, H] = z * scale + shift. Writes the factor
// 1 / sqrt(variance + eps) to inverse_std [H], which NormBackward reads.
template <typename T>
inline void NormForward(const NormParameters<T>& norm, int64_t nodes, int64_t hidden, View<T> z,
                        View<T> y, T* inverse_std) {
  const Vec<T> share = Broadcast<T>(static_cast<T>(1) / static_cast<T>(nodes));
  for (int64_t c = 0; c < hidden; c += kLanes<T>) {
    T* const from = z.At(0, c);
    T* const to = y.At(0, c);
    Vec<T> mean{};
    Vec<T> factor{};
    if (norm.mean == nullptr) {
      for (int64_t n = 0; n < nodes; ++n) mean += Load<T>(from + n * z.row);
      mean *= share;
      Vec<T> squares{};
      for (int64_t n = 0; n < nodes; ++n) {
        const Vec<T> value = Load<T>(from + n * z.row) - mean;
        squares += value * value;
      }
      factor = InverseSqrt<T>(squares * share + static_cast<T>(kNormEpsilon));
    } else {
      mean = Load<T>(norm.mean + c);
      factor = Load<T>(norm.inverse_std + c);
    }
    Store<T>(inverse_std + c, factor);
    const Vec<T> scale = Load<T>(norm.scale + c);
    const Vec<T> shift = Load<T>(norm.shift + c);
    for (int64_t n = 0; n < nodes; ++n) {
      const Vec<T> value = (Load<T>(from + n * z.row) - mean) * factor;
      Store<T>(from + n * z.row, value);
      Store<T>(to + n * y.row, value * scale + shift);
    }
  }
}

// Replaces dy [nodes, H], the gradient with respect to y, by the gradient with respect to the
// norm's input. Adds the gradients of scale and shift to d_scale and d_shift.
template <typename T>
inline void NormBackward(const NormParameters<T>& norm, int64_t nodes, int64_t hidden,
                         View<const T> normalised, const T* inverse_std, View<T> dy, T* d_scale,
                         T* d_shift) {
  const Vec<T> share = Broadcast<T>(static_cast<T>(1) / static_cast<T>(nodes));
  for (int64_t c = 0; c < hidden; c += kLanes<T>) {
    const T* const z = normalised.At(0, c);
    T* const d = dy.At(0, c);
    Vec<T> sum{};
    Vec<T> dot{};
    for (int64_t n = 0; n < nodes; ++n) {
      const Vec<T> value = Load<T>(d + n * dy.row);
      sum += value;
      dot += value * Load<T>(z + n * normalised.row);
    }
    Store<T>(d_scale + c, Load<T>(d_scale + c) + dot);
    Store<T>(d_shift + c, Load<T>(d_shift + c) + sum);
    const Vec<T> factor = Load<T>(norm.scale + c) * Load<T>(inverse_std + c);
    const Vec<T> mean = norm.mean == nullptr ? sum * share : Vec<T>{};
    const Vec<T> slope = norm.mean == nullptr ? dot * share : Vec<T>{};
    for (int64_t n = 0; n < nodes; ++n) {
      T* const at = d + n * dy.row;
      Store<T>(at, factor * (Load<T>(at) - mean - Load<T>(z + n * normalised.row) * slope));
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
