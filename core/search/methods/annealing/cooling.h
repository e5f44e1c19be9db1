// How far a search has cooled down.
#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/search/model/search_options.h"

namespace vrp {

// A search cools down from the first to the last, in the unit of its cost.
struct Temperatures {
  double first = 0;
  double last = 0;
};

// One cooling takes at most so many iterations, or so much time, a node; what is left of a longer
// budget is spent on further ones.
class Cooling {
 public:
  Cooling(const SearchOptions& options, int32_t nodes)
      : options_(options), nodes_(nodes), started_(SteadyNow()) {}

  // In [0, 1): where in its cooling a search is.
  double Phase(int64_t iterations, absl::Time now) const;
  // In [0, 1]: which share of the whole budget is used; 0 where there is no end.
  double Used(int64_t iterations, absl::Time now) const;
  // How many iterations a node one cooling will have taken, at the rate so far.
  double IterationsPerNode(int64_t iterations, absl::Time now) const;

 private:
  double Coolings() const;  // of the whole budget

  const SearchOptions& options_;
  const double nodes_;
  const absl::Time started_;
};

}  // namespace vrp
