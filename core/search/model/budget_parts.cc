#include "core/search/model/budget_parts.h"

#include "absl/time/time.h"
#include "core/base/steady_time.h"

namespace vrp {
namespace {

// Iterations per customer of a part, where the search has no end.
constexpr int64_t kUnboundedAnnealed = 5'000;

}  // namespace

SearchOptions PartOf(const SearchOptions& options, double share, int32_t customers) {
  SearchOptions part = options;
  const absl::Time now = SteadyNow();
  if (options.max_iterations != INT64_MAX) {
    part.max_iterations = static_cast<int64_t>(share * static_cast<double>(options.max_iterations));
  } else if (options.stop.deadline() != absl::InfiniteFuture()) {
    part.stop = options.stop.Sooner(now + share * (options.stop.deadline() - now));
  } else {
    part.max_iterations = kUnboundedAnnealed * customers;
  }
  return part;
}

SearchOptions RestOf(const SearchOptions& options, int64_t iterations) {
  SearchOptions rest = options;
  if (options.max_iterations != INT64_MAX) rest.max_iterations -= iterations;
  return rest;
}

}  // namespace vrp
