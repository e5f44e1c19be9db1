// Random instances of any size with chosen features beyond the plain problem, made to be solved
// (rich_instance.h: tiny ones with all features, made to be judged).
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/instance/features.h"
#include "core/problem/instance/instance.h"

namespace vrp::test {

struct FeatureInstanceOptions {
  int32_t customers = 20;
  uint64_t seed = 1;
  // Sizes and limits are drawn so that nearly all customers can be served. What a feature needs
  // comes with it: kEndDepot brings several depots, kOvertime a limit and costs. Refused
  // combinations (features.h) lose their later one.
  std::vector<Feature> features = {};
  Objective objective = Objective::kCost;  // with kObjective
  // The objective is kCost whenever kOvertime is there.
  Metric metric = Metric::kExact;
  int32_t vehicles = 0;  // of each type; 0: as many as needed
};

// Planar, customers in the square [0, 100]^2, speed 1, capacity 40, demands 1 .. 9; the depots are
// open for 400. The same options give the same instance. Aborts where it is not valid.
Instance MakeFeatureInstance(const FeatureInstanceOptions& options);

// One to six features, drawn with `seed`, in a mixture that is not refused.
std::vector<Feature> DrawFeatures(uint64_t seed);

}  // namespace vrp::test
