// How often exchanges of tails are looked for, and how far each looks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/search/model/fast_random.h"

namespace vrp {

// One exchange is looked for beside each ruin and recreate where routes have so many customers;
// they are looked for some at a time.
inline constexpr double kCustomersPerTailTry = 15;
inline constexpr int32_t kTailTriesAtOnce = 3;
// As many related customers' tails are looked at for one.
inline constexpr size_t kTailsTried = 20;

// Whether kTailTriesAtOnce are due beside this ruin and recreate. `routes` is not 0.
inline bool TailTriesAreDue(FastRandom& random, int64_t customers, int32_t routes,
                            double customers_per_try) {
  const double tries = static_cast<double>(customers) / (customers_per_try * routes);
  return random.Unit() * kTailTriesAtOnce < tries;
}

// What an exchange may add at most, as in simulated annealing.
inline double DrawMostAdded(FastRandom& random, double temperature) {
  return -temperature * std::log(1 - random.Unit());
}

}  // namespace vrp
