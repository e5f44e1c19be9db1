// How far a search has cooled down.
#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/search/search.h"

namespace vrp {

// The cooling schedule of a search, by time or by iterations. Immutable, so thread-safe;
// `options` must outlive it.
class Cooling {
 public:
  // Whether a budget above a limit per node is spent on several coolings, one after another.
  enum class Repeats { kNever, kBeyondLimit };

  Cooling(const SearchOptions& options, int32_t nodes, Repeats repeats = Repeats::kBeyondLimit)
      : options_(options), nodes_(nodes), repeats_(repeats), started_(SteadyNow()) {}

  // In [0, 1): where in its cooling a search is.
  double Phase(int64_t iterations, absl::Time now) const;
  // In [0, 1]: which share of the whole budget is used; 0 where there is no end.
  double Used(int64_t iterations, absl::Time now) const;
  // How many iterations a node one cooling will have taken, by the pace so far.
  double IterationsPerNode(int64_t iterations, absl::Time now) const;

 private:
  double Coolings() const;  // of the whole budget

  const SearchOptions& options_;
  const double nodes_;
  const Repeats repeats_;
  const absl::Time started_;
};

}  // namespace vrp
