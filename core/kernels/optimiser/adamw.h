// AdamW (Loshchilov and Hutter 2019) over flat arrays, and the gradient's norm for clipping, as
// programs for any group of threads (group.h). The CPU and CUDA do the same arithmetic, because
// fused multiply-adds are explicit and sums have a fixed order. Includes only headers that CUDA
// sources can include.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/kernels/support/group.h"

namespace vrp {

// The options of AdamW.
struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;  // decoupled; only for parameters of two or more dimensions
};

// A part of the flat arrays with one update rule.
struct UpdatePiece {
  int64_t first = 0;
  int32_t count = 0;
  bool decays = false;  // whether weight decay applies
};

// Factors of an update, the same for all elements of a piece.
struct AdamWFactors {
  float beta1 = 0;
  float beta2 = 0;
  float epsilon = 0;
  float scale = 0;      // of the gradient
  float rate = 0;       // learning rate / bias correction of the mean
  float root = 0;       // 1 / square root of the bias correction of the square
  float shrinkage = 1;  // 1 - learning rate * weight decay
};

// Returns an integer power of `base`. Computes it by squaring, because libm's last bit differs
// between devices.
constexpr double IntegerPower(double base, int64_t exponent) {
  double power = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) power *= base;
    base *= base;
  }
  return power;
}

// The values of one update from which its factors follow.
struct AdamWStep {
  double learning_rate = 0;
  double scale = 1;     // of the gradient
  int64_t updates = 1;  // including this one
  bool decays = false;  // whether weight decay applies
};
VRP_DEVICE inline AdamWFactors FactorsOf(const AdamWOptions& options, const AdamWStep& step) {
  const double mean = 1 - IntegerPower(options.beta1, step.updates);
  const double square = 1 - IntegerPower(options.beta2, step.updates);
  const double shrinkage = 1 - step.learning_rate * options.weight_decay;
  return {.beta1 = static_cast<float>(options.beta1),
          .beta2 = static_cast<float>(options.beta2),
          .epsilon = static_cast<float>(options.epsilon),
          .scale = static_cast<float>(step.scale),
          .rate = static_cast<float>(step.learning_rate / mean),
          .root = static_cast<float>(1 / std::sqrt(square)),
          .shrinkage = step.decays ? static_cast<float>(shrinkage) : 1.0F};
}

// The arrays of all parameters.
struct UpdateArrays {
  float* values = nullptr;
  const float* gradient = nullptr;
  float* mean = nullptr;
  float* square = nullptr;
};
// Updates the values, means and squares of a piece.
template <typename Group>
VRP_DEVICE void UpdateParameters(const Group& group, AdamWFactors f, const UpdatePiece& piece,
                                 const UpdateArrays& arrays) {
  float* const value = arrays.values + piece.first;
  const float* const gradient = arrays.gradient + piece.first;
  float* const mean = arrays.mean + piece.first;
  float* const square = arrays.square + piece.first;
  group.Each(piece.count, [&](int32_t i) {
    const float g = f.scale * gradient[i];
    const float m = std::fma(f.beta1, mean[i], (1 - f.beta1) * g);
    const float v = std::fma(f.beta2, square[i], (1 - f.beta2) * (g * g));
    mean[i] = m;
    square[i] = v;
    const float change = f.rate * m / std::fma(std::sqrt(v), f.root, f.epsilon);
    value[i] = std::fma(f.shrinkage, value[i], -change);
  });
}

// Number of elements of a block whose squares are summed together, and number of partial sums of a
// block.
inline constexpr int32_t kNormBlock = 4096;
inline constexpr int32_t kNormLanes = 256;

// Returns the number of blocks of `size` elements.
constexpr int64_t NormBlocks(int64_t size) { return (size + kNormBlock - 1) / kNormBlock; }

// Returns the sum of term(0) .. term(count - 1) in an order that does not depend on the group.
// `lanes` [kNormLanes] is memory of the group. All its threads may read the result.
template <typename Group, typename Term>
VRP_DEVICE double SumInOrder(const Group& group, int64_t count, double* lanes, const Term& term) {
  group.Each(kNormLanes, [&](int32_t lane) { lanes[lane] = 0; });
  for (int64_t first = 0; first < count; first += kNormLanes) {
    const int64_t left = count - first;
    group.Each(left < kNormLanes ? static_cast<int32_t>(left) : kNormLanes,
               [&](int32_t lane) { lanes[lane] += term(first + lane); });
  }
  for (int32_t half = kNormLanes / 2; half > 0; half /= 2) {
    group.Each(half, [&](int32_t lane) { lanes[lane] += lanes[lane + half]; });
  }
  return lanes[0];
}

// Returns the sum of squares of block `block` of `gradient` [size]. A float's square is exact in
// double.
template <typename Group>
VRP_DEVICE double SquaresOfBlock(const Group& group, const float* gradient, int64_t size,
                                 int64_t block, double* lanes) {
  const float* const values = gradient + block * kNormBlock;
  const int64_t left = size - block * kNormBlock;
  return SumInOrder(group, left < kNormBlock ? left : kNormBlock, lanes,
                    [&](int64_t i) { return double{values[i]} * double{values[i]}; });
}

}  // namespace vrp
