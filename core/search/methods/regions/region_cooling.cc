#include "core/search/methods/regions/region_cooling.h"

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
    : started_(SteadyNow()) {
  const bool by_iterations = options.max_iterations != INT64_MAX;
  const absl::Duration time = options.stop.deadline() - started_;
  if (!by_iterations && time < absl::InfiniteDuration()) {
    const absl::Duration budget = std::max(time, absl::Nanoseconds(1));
    coolings_ = CoolingsOf(absl::FDivDuration(budget, kFirst * customers),
                           absl::FDivDuration(kLongestOne, kFirst));
    first_.time = budget / (std::exp2(coolings_) - 1);
    return;
  }
  first_.iterations = kFirstIterations * customers;
  if (!by_iterations) return;
  const auto budget = static_cast<double>(options.max_iterations);
  coolings_ = CoolingsOf(budget / first_.iterations, kLongestOneIterations / kFirstIterations);
  first_.iterations = budget / (std::exp2(coolings_) - 1);
}

CoolingPoint RegionCooling::At(int64_t iterations, absl::Time now) const {
  // Work done, as a multiple of the first cooling's length. Cooling k begins at 2^k - 1.
  const double done = std::max(absl::FDivDuration(now - started_, first_.time),
                               static_cast<double>(iterations) / first_.iterations);
  const double k = std::min(std::floor(std::log2(done + 1)), coolings_ - 1.0);
  const double length = std::exp2(k);
  CoolingPoint point = {.phase = std::clamp((done - (length - 1)) / length, 0.0, 1.0),
                        .time = first_.time * length,
                        .iterations = first_.iterations * length};
  if (std::isinf(point.iterations) && iterations > 0 && now > started_) {
    point.iterations =
        static_cast<double>(iterations) * absl::FDivDuration(point.time, now - started_);
  }
  return point;
}

}  // namespace vrp
