// Draws travel times by the time of departure.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/random.h"
#include "core/problem/instance/vehicle.h"

namespace vrp::test {

// Returns one to six entries from a time below `end` / 10 on, with the values of `matrix` times
// factors from about 0.5 to 2.5. Some values fall as fast as they may.
inline std::vector<TimedMatrix> DrawTimedMatrices(CounterRandom& random,
                                                  const std::vector<double>& matrix, double end) {
  std::vector<TimedMatrix> list;
  const int64_t entries = random.UniformInt(1, 6);
  double at = 0.1 * end * random.UniformDouble();
  double gap = 0;
  for (int64_t e = 0; e < entries; ++e) {
    TimedMatrix timed{.at = at, .durations = matrix};
    const double factor = 0.6 + 1.4 * random.UniformDouble();
    for (size_t i = 0; i < matrix.size(); ++i) {
      double& travel = timed.durations[i];
      travel *= factor * (0.8 + 0.4 * random.UniformDouble());
      if (e > 0) travel = std::max(travel, list.back().durations[i] - gap);
    }
    list.push_back(std::move(timed));
    gap = end * (0.02 + 0.25 * random.UniformDouble());
    at += gap;
  }
  return list;
}

}  // namespace vrp::test
