// Generates random instances of any size with chosen features beyond the plain problem, for tests
// of solvers.
// constrained_instance.h generates tiny ones with random features, for tests of the checker.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/instance/features.h"
#include "core/problem/instance/instance.h"

namespace vrp::test {

struct FeatureInstanceOptions {
  int32_t customers = 20;
  uint64_t seed = 1;
  // Features of the instance. Sizes and limits are drawn so that nearly all customers can be
  // served. A feature adds what it needs: kEndDepot adds depots, kOvertime a limit and costs,
  // kLengthMatrix a limit, kMaxWaiting and kTimeOfDay windows, kLifo shipments, kCompartments a
  // second load dimension. kBalance draws a limit, a price or both. kEndDepot excludes kOpenEnd,
  // kDrivingRules exclude kMaxWaiting, and kTimeOfDay excludes kTravelTimeCost; the excluded
  // feature is dropped.
  std::vector<Feature> features = {};
  Objective objective = Objective::kCost;  // used with kObjective; features of costs set kCost
  Metric metric = Metric::kExact;
  int32_t vehicles = 0;  // number per type; 0: as many as needed
};

// Returns a planar instance with locations in the square [0, 100]^2, speed 1 and loads up to 9 in
// each dimension. Vehicles have a capacity of 40 and, in a second dimension, 30. With kVehicleTypes
// or kSkills, some have 20. With several types, every other one is for kLifo. If there are windows,
// the depots close at 400. The same options give the same instance. Aborts if the instance is not
// valid.
Instance MakeFeatureInstance(const FeatureInstanceOptions& options);

// Returns one to seven random features. The same seed gives the same features.
std::vector<Feature> DrawFeatures(uint64_t seed);

}  // namespace vrp::test
