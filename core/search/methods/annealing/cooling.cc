#include "core/search/methods/annealing/cooling.h"

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

double Cooling::Coolings() const {
  double coolings = 1;
  if (options_.max_iterations != INT64_MAX) {
    coolings = static_cast<double>(options_.max_iterations) / (nodes_ * kIterationsPerNode);
  } else if (options_.stop.deadline() != absl::InfiniteFuture()) {
    coolings =
        absl::ToDoubleSeconds(options_.stop.deadline() - started_) / (nodes_ * kSecondsPerNode);
  }
  return std::max(1.0, std::ceil(coolings));
}

double Cooling::Phase(int64_t iterations, absl::Time now) const {
  const bool endless =
      options_.max_iterations == INT64_MAX && options_.stop.deadline() == absl::InfiniteFuture();
  const double used = endless ? static_cast<double>(iterations) / (nodes_ * kIterationsPerNode)
                              : Used(iterations, now);
  const double phase = used * Coolings();
  return phase - std::floor(phase);
}

double Cooling::IterationsPerNode(int64_t iterations, absl::Time now) const {
  const double nodes = nodes_ * Coolings();
  if (options_.max_iterations != INT64_MAX) {
    return static_cast<double>(options_.max_iterations) / nodes;
  }
  if (options_.stop.deadline() == absl::InfiniteFuture()) return kIterationsPerNode;
  const double used = Used(iterations, now);
  return used <= 0 ? 0 : static_cast<double>(iterations) / (used * nodes);
}

}  // namespace vrp
