// A step of the moving average of weights (core/train/run/weight_average.h), the same arithmetic on
// the CPU and on CUDA. No includes that CUDA sources could not have.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/kernels/support/group.h"

namespace vrp {

// What the weights count after `updates` of them (from 1): 1 - d, where d is `decay`, but at most
// (1 + updates) / (10 + updates).
constexpr float AverageShare(double decay, int64_t updates) {
  const auto t = static_cast<double>(updates);
  const double first = (1 + t) / (10 + t);
  return static_cast<float>(1 - (first < decay ? first : decay));
}

VRP_DEVICE inline float MovedAverage(float average, float weight, float share) {
  return std::fma(share, weight - average, average);
}

}  // namespace vrp
