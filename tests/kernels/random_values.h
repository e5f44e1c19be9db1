// Inputs and plain functions shared by the tests of products and LSTMs.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/random.h"

namespace vrp {

// Returns `count` uniform numbers in [-0.5, 0.5).
template <typename T>
std::vector<T> RandomValues(int64_t count, uint64_t stream, uint64_t seed = 7) {
  CounterRandom random(seed, stream);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) value = static_cast<T>(random.UniformDouble() - 0.5);
  return values;
}

inline double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace vrp
