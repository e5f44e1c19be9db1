// The interface of habit models: which stop a driver goes to next.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/problem/instance/metric.h"
#include "core/problem/instance/vehicle.h"

namespace vrp {

// A stop of today, or the depot, as a habit model sees it.
struct HabitStop {
  std::string_view id;                    // as in past routes; stops with new ids are allowed
  std::optional<Position> position = {};  // in the coordinates of past routes
  double demand = 0;
  TimeWindow window = {};
};

// A model of the order in which drivers visit their stops, learned from past routes.
// Implementations are immutable and thread-safe.
class HabitModel {
 public:
  virtual ~HabitModel() = default;

  // Whether past routes name the driver.
  virtual bool KnowsDriver(std::string_view driver) const = 0;
  // Whether past routes have the stop.
  virtual bool KnowsStop(std::string_view id) const = 0;

  // Returns the logarithms of the probabilities that the driver goes from stop i to stop j, [N, N]
  // float32, row-major, all finite. `stops` [N] are the depot and the stops of one day, the depot
  // first. In each row, the probabilities of j != i sum to 1; the diagonal is 0. A driver who is
  // unknown, or empty, stands for all drivers.
  virtual std::vector<float> EdgeLogProbabilities(std::span<const HabitStop> stops,
                                                  std::string_view driver) const = 0;

  // Returns the logarithms of the probabilities of the next stop after `route`, [N] float32.
  // `route` has the stops so far, as indices into `stops` from 1; empty: at the depot. Index 0
  // stands for the return to the depot; with an empty route, it has -infinity. Stops of `route`
  // have -infinity.
  virtual std::vector<float> NextStopLogProbabilities(std::span<const HabitStop> stops,
                                                      std::string_view driver,
                                                      std::span<const int32_t> route) const = 0;
};

}  // namespace vrp
