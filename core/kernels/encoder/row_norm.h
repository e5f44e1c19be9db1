// Layer normalisation (Ba et al. 2016): each row is standardised over its channels, then scaled and
// shifted. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/norm.h"
#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Writes z [rows, H], the standardised rows of x, and y = z * scale + shift. Writes the rows'
// factors 1 / sqrt(variance + eps) to inverse_std [rows], which RowNormBackward reads. `z` may be
// `x`.
template <typename T>
inline void RowNormForward(const NormParameters<T>& norm, int64_t rows, int64_t hidden,
                           View<const T> x, View<T> z, View<T> y, T* inverse_std) {
  const T share = static_cast<T>(1) / static_cast<T>(hidden);
  for (int64_t r = 0; r < rows; ++r) {
    Vec<T> sum{};
    for (int64_t c = 0; c < hidden; c += kLanes<T>) sum += Load<T>(x.At(r, c));
    const Vec<T> mean = Broadcast<T>(Sum<T>(sum) * share);
    Vec<T> squares{};
    for (int64_t c = 0; c < hidden; c += kLanes<T>) {
      const Vec<T> value = Load<T>(x.At(r, c)) - mean;
      squares += value * value;
    }
    const Vec<T> factor =
        InverseSqrt<T>(Broadcast<T>(Sum<T>(squares) * share) + static_cast<T>(kNormEpsilon));
    inverse_std[r] = factor[0];
    for (int64_t c = 0; c < hidden; c += kLanes<T>) {
      const Vec<T> value = (Load<T>(x.At(r, c)) - mean) * factor;
      Store<T>(z.At(r, c), value);
      Store<T>(y.At(r, c), value * Load<T>(norm.scale + c) + Load<T>(norm.shift + c));
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
