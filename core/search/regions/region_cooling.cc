#include "core/search/regions/region_cooling.h"

#include <algorithm>
#include <cmath>

#include "core/base/steady_time.h"

namespace vrp {
namespace {

// Largest budget per customer that is one cooling, and length of the first of several.
constexpr absl::Duration kLongestOne = absl::Milliseconds(500);
constexpr absl::Duration kFirst = absl::Milliseconds(2);
constexpr double kLongestOneIterations = 100'000;
constexpr double kFirstIterations = 400;

// Returns how many coolings, each twice as long as the one before, a budget has. `budget` is given
// in lengths of the first one.
int32_t CoolingsOf(double budget, double longest_one) {
  if (budget <= longest_one) return 1;
  return static_cast<int32_t>(std::log2(budget + 1));
}

}  // namespace

RegionCooling::RegionCooling(const SearchOptions& options, int32_t customers)
    : options_(options),
      started_(SteadyNow()),
      first_iterations_(kFirstIterations * std::max(1, customers)) {
  if (options.max_iterations != INT64_MAX) {
    coolings_ = CoolingsOf(static_cast<double>(options.max_iterations) / first_iterations_,
                           kLongestOneIterations / kFirstIterations);
  } else if (options.stop.deadline() != absl::InfiniteFuture()) {
    const absl::Duration first = kFirst * std::max(1, customers);
    coolings_ = CoolingsOf(absl::FDivDuration(options.stop.deadline() - started_, first),
                           absl::FDivDuration(kLongestOne, kFirst));
  }
}

CoolingPoint RegionCooling::At(int64_t iterations, absl::Time now) const {
  // Where the search is, in lengths of the first cooling.
  double position = 0;
  const bool by_iterations = options_.max_iterations != INT64_MAX;
  const absl::Duration budget = options_.stop.deadline() - started_;
  const double lengths = std::exp2(coolings_) - 1;  // of the whole budget
  if (coolings_ == 0) {
    position = static_cast<double>(iterations) / first_iterations_;
  } else if (by_iterations) {
    position =
        lengths * static_cast<double>(iterations) / static_cast<double>(options_.max_iterations);
  } else {
    position =
        lengths * (budget <= absl::ZeroDuration() ? 1 : absl::FDivDuration(now - started_, budget));
  }
  double index = std::floor(std::log2(std::max(0.0, position) + 1));
  if (coolings_ > 0) index = std::min(index, coolings_ - 1.0);
  const double length = std::exp2(index);
  CoolingPoint point;
  point.phase = std::clamp((position - (length - 1)) / length, 0.0, 1.0);
  if (coolings_ == 0) {
    point.iterations = length * first_iterations_;
  } else if (by_iterations) {
    point.iterations = length / lengths * static_cast<double>(options_.max_iterations);
  } else {
    point.time = budget * (length / lengths);
  }
  return point;
}

}  // namespace vrp
