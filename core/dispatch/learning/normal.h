// Normally distributed random numbers.
#pragma once

#include <cmath>
#include <numbers>

#include "core/base/random.h"

namespace vrp {

// Returns a number of the standard normal distribution (Box, Muller 1958).
inline double DrawNormal(CounterRandom& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.UniformDouble()));
  return radius * std::cos(2 * std::numbers::pi * random.UniformDouble());
}

}  // namespace vrp
