// A step of the moving average of weights (core/train/optimiser/weight_average.h), with the same
// arithmetic on the CPU and on CUDA. Includes only headers that CUDA sources can include.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/kernels/support/group.h"

namespace vrp {

// Returns the share of the new weights after `updates` updates (from 1). The share is 1 - d, where
// d is `decay`, but at most (1 + updates) / (10 + updates).
constexpr float AverageShare(double decay, int64_t updates) {
  const auto t = static_cast<double>(updates);
  const double first = (1 + t) / (10 + t);
  return static_cast<float>(1 - (first < decay ? first : decay));
}

// Returns the average, moved towards the new weight.
VRP_DEVICE inline float MovedAverage(float average, float weight, float share) {
  return std::fma(share, weight - average, average);
}

}  // namespace vrp
