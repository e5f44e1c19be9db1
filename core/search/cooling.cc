#include "core/search/cooling.h"

#include <algorithm>
#include <cmath>

namespace vrp {
namespace {

constexpr double kIterationsPerNode = 20'000;
constexpr double kSecondsPerNode = 0.1;

}  // namespace

double Cooling::Used(int64_t iterations, absl::Time now) const {
  if (options_.max_iterations != INT64_MAX) {
    return static_cast<double>(iterations) / static_cast<double>(options_.max_iterations);
  }
  if (options_.stop.deadline() == absl::InfiniteFuture()) return 0;
  const double total = absl::ToDoubleSeconds(options_.stop.deadline() - started_);
  if (total <= 0) return 1;
  return std::clamp(absl::ToDoubleSeconds(now - started_) / total, 0.0, 1.0);
}

double Cooling::Phase(int64_t iterations, absl::Time now) const {
  const double longest = nodes_ * kIterationsPerNode;
  double coolings = 1;
  double used = Used(iterations, now);
  if (options_.max_iterations != INT64_MAX) {
    coolings = static_cast<double>(options_.max_iterations) / longest;
  } else if (options_.stop.deadline() != absl::InfiniteFuture()) {
    coolings =
        absl::ToDoubleSeconds(options_.stop.deadline() - started_) / (nodes_ * kSecondsPerNode);
  } else {
    used = static_cast<double>(iterations) / longest;
  }
  const double phase = used * std::max(1.0, std::ceil(coolings));
  return phase - std::floor(phase);
}

}  // namespace vrp
