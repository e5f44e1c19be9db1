// The arguments of a residual connection with an instance norm. Shapes: B instances, N nodes
// (padded), H channels, a multiple of kNormVector.
#pragma once

#include <cstdint>

#include "core/kernels/support/bf16_value.h"

namespace vrp {

// Number of neighbouring channels that a thread loads at once. All pointers to T are aligned to
// that many elements.
inline constexpr int32_t kNormVector = 4;
// Term that is added to the variance, so that equal values do not divide by 0.
inline constexpr float kInstanceNormEpsilon = 1e-5F;

// The inputs, which both passes read. All memory is on one device.
template <typename T>
struct ResidualNormInputs {
  int32_t instances = 0;
  int32_t nodes = 0;
  int32_t hidden = 0;
  const float* sizes = nullptr;  // [B]: number of valid nodes, which come first; at least 1
  const T* x = nullptr;          // [B, N, H]
  const T* branch = nullptr;     // [B, N, H]
  const float* scale = nullptr;  // [H]
  const float* shift = nullptr;  // [H]; read only by the forward pass
};

template <typename T>
struct ResidualNormOutputs {
  T* normed = nullptr;       // [B, N, H]; 0 in the padding
  float* mean = nullptr;     // [B, H]
  float* inverse = nullptr;  // [B, H]: 1 / standard deviation
};

// Inputs and outputs of the backward pass. The padding's gradients count as 0.
template <typename T>
struct ResidualNormGradient {
  const float* mean = nullptr;     // of the forward pass
  const float* inverse = nullptr;  // of the forward pass
  const T* first = nullptr;        // [B, N, H]: gradient with respect to `normed`
  const T* second = nullptr;       // [B, N, H]: further part of this gradient; null if none
  T* sum = nullptr;         // [B, N, H]: gradient with respect to x and to branch; 0 in the padding
  float* affine = nullptr;  // [B, 2, H]: each instance's part of the gradients of scale and shift
};

}  // namespace vrp
