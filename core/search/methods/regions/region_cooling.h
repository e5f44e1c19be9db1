// The cooling schedule of a search by regions.
#pragma once

#include <cstdint>
#include <limits>

#include "absl/time/time.h"
#include "core/search/model/search_options.h"

namespace vrp {

// A moment of a cooling, and the cooling's length. The time is infinite if iterations bound the
// search. If time does, the iterations are those of the pace so far: infinite at the start.
struct CoolingPoint {
  double phase = 0;  // 0 .. 1: share of the cooling that is over
  absl::Duration time = absl::InfiniteDuration();
  double iterations = std::numeric_limits<double>::infinity();
};

// A budget up to a limit per customer is one cooling. A larger budget is spent on several, each
// twice as long as the one before: a stop rule may end the search at any time, so a good plan must
// not wait for the end of an hour. Immutable, so thread-safe.
class RegionCooling {
 public:
  RegionCooling(const SearchOptions& options, int32_t customers);

  // Returns the cooling in progress at `now`, after `iterations`.
  CoolingPoint At(int64_t iterations, absl::Time now) const;
  int32_t coolings() const { return coolings_; }  // in the budget; INT32_MAX: it has no end

 private:
  const absl::Time started_;
  int32_t coolings_ = INT32_MAX;
  CoolingPoint first_;  // length of the first cooling
};

}  // namespace vrp
