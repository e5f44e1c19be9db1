// The instances from which estimates are learned.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// The distribution of drawn instances.
struct EstimateDraws {
  int32_t min_customers = 10;  // at least 2
  int32_t max_customers = 200;
  double windows = 0.5;  // share of instances with time windows
  uint64_t seed = 1;
  double long_routes = 0;  // share of instances with few long routes
};

// Instances in a row that have long routes or not together, so that labels of the others can be
// kept when the share changes.
inline constexpr int64_t kDrawnAlike = 32;

// Whether instance `index` has few long routes.
bool HasLongRoutes(const EstimateDraws& draws, int64_t index);

// Draws instance `index`, which the seed and the index determine. The number of customers is
// uniform. Layouts are uniform, clustered or those of the X set, with equal probability. Routes
// have on average 3 to 25 customers by load (log-uniform; X draws its own). Half of the instances
// with windows have them for 25, 50 or 75 % of the customers only, and half have a service time,
// the same for all customers. Long routes have on average 20 to 100 customers by load, all layouts
// alike; with windows, their horizon is up to 6 times as long, and windows take 3 to 100 % of it.
// The last customer is a random one.
absl::StatusOr<Instance> DrawEstimateInstance(const EstimateDraws& draws, int64_t index);

// Returns the instance without its last customer. It must have at least 2.
absl::StatusOr<Instance> WithoutLastCustomer(const Instance& instance);

}  // namespace vrp
