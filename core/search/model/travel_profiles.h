// Travel times by the time of departure, as the search reads them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/problem/instance/travel_time.h"
#include "core/problem/instance/vehicle.h"

namespace vrp {

// The entries of a list of TimedMatrix, with the values of each pair of nodes side by side: a leg
// reads one or two lines of memory. Immutable; thread-safe.
class TravelProfiles {
 public:
  explicit TravelProfiles(const std::vector<TimedMatrix>& list);

  // Returns the travel times of a pair of rows, by its index into a matrix [R, R].
  TravelTime Of(size_t pair) const { return {at_, values_.data() + pair * at_.size()}; }
  // Returns the shortest travel time of each pair, [R, R]: a lower bound at all times.
  std::span<const double> least() const { return least_; }

 private:
  std::vector<double> at_;
  std::vector<double> values_;  // [R, R, times]
  std::vector<double> least_;
};

}  // namespace vrp
