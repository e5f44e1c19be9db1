// Layer normalisation (Ba et al. 2016): each row is standardised over its channels, then scaled and
// shifted. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/norm.h"
#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Writes the mean of a row of x, and its squared deviation from the mean.
template <typename T>
inline __attribute__((always_inline)) void RowMoments(View<const T> x, int64_t r, int64_t hidden,
                                                      T& mean, T& variance) {
  const T share = static_cast<T>(1) / static_cast<T>(hidden);
  Vec<T> sum{};
  for (int64_t c = 0; c < hidden; c += kLanes<T>) sum += Load<T>(x.At(r, c));
  mean = Sum<T>(sum) * share;
  Vec<T> squares{};
  for (int64_t c = 0; c < hidden; c += kLanes<T>) {
    const Vec<T> value = Load<T>(x.At(r, c)) - Broadcast<T>(mean);
    squares += value * value;
  }
  variance = Sum<T>(squares) * share;
}

// Writes z [rows, H], the standardised rows of x, and y = z * scale + shift. Writes the rows'
// factors 1 / sqrt(variance + eps) to inverse_std [rows], which RowNormBackward reads. `z` may be
// `x`. Takes the roots of a vector of rows at once, because they are slow.
template <typename T>
inline void RowNormForward(const NormParameters<T>& norm, int64_t rows, int64_t hidden,
                           View<const T> x, View<T> z, View<T> y, T* inverse_std) {
  alignas(64) T means[kLanes<T>];
  alignas(64) T factors[kLanes<T>] = {};  // variances at first
  for (int64_t first = 0; first < rows; first += kLanes<T>) {
    const int64_t count = rows - first < kLanes<T> ? rows - first : kLanes<T>;
    for (int64_t r = 0; r < count; ++r) {
      RowMoments<T>(x, first + r, hidden, means[r], factors[r]);
    }
    Store<T>(factors, InverseSqrt<T>(Load<T>(factors) + static_cast<T>(kNormEpsilon)));
    for (int64_t r = 0; r < count; ++r) {
      inverse_std[first + r] = factors[r];
      const Vec<T> mean = Broadcast<T>(means[r]);
      const Vec<T> factor = Broadcast<T>(factors[r]);
      for (int64_t c = 0; c < hidden; c += kLanes<T>) {
        const Vec<T> value = (Load<T>(x.At(first + r, c)) - mean) * factor;
        Store<T>(z.At(first + r, c), value);
        Store<T>(y.At(first + r, c), value * Load<T>(norm.scale + c) + Load<T>(norm.shift + c));
      }
    }
  }
}

// Adds the gradients of scale and shift to d_scale and d_shift [H].
template <typename T>
inline void AddRowNormGradient(int64_t rows, int64_t hidden, View<const T> z, View<const T> dy,
                               T* d_scale, T* d_shift) {
  for (int64_t c = 0; c < hidden; c += kLanes<T>) {
    Vec<T> dot{};
    Vec<T> sum{};
    for (int64_t r = 0; r < rows; ++r) {
      const Vec<T> d = Load<T>(dy.At(r, c));
      dot += d * Load<T>(z.At(r, c));
      sum += d;
    }
    Store<T>(d_scale + c, Load<T>(d_scale + c) + dot);
    Store<T>(d_shift + c, Load<T>(d_shift + c) + sum);
  }
}

// Adds the gradient with respect to x to `dx` [rows, H], given `dy`, the one with respect to y.
// Adds the gradients of scale and shift to d_scale and d_shift [H].
template <typename T>
inline void RowNormBackward(const T* scale, int64_t rows, int64_t hidden, View<const T> z,
                            const T* inverse_std, View<const T> dy, View<T> dx, T* d_scale,
                            T* d_shift) {
  AddRowNormGradient<T>(rows, hidden, z, dy, d_scale, d_shift);
  const T share = static_cast<T>(1) / static_cast<T>(hidden);
  for (int64_t r = 0; r < rows; ++r) {
    Vec<T> sum{};
    Vec<T> dot{};
    for (int64_t c = 0; c < hidden; c += kLanes<T>) {
      const Vec<T> d = Load<T>(dy.At(r, c)) * Load<T>(scale + c);
      sum += d;
      dot += d * Load<T>(z.At(r, c));
    }
    const Vec<T> mean = Broadcast<T>(Sum<T>(sum) * share);
    const Vec<T> slope = Broadcast<T>(Sum<T>(dot) * share);
    const Vec<T> factor = Broadcast<T>(inverse_std[r]);
    for (int64_t c = 0; c < hidden; c += kLanes<T>) {
      const Vec<T> d = Load<T>(dy.At(r, c)) * Load<T>(scale + c);
      T* const to = dx.At(r, c);
      Store<T>(to, Load<T>(to) + factor * (d - mean - Load<T>(z.At(r, c)) * slope));
    }
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
