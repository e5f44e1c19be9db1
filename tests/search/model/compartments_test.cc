#include "core/search/model/compartments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/search/model/fast_random.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using Space = std::vector<Compartment>;
using Loads = std::vector<double>;

bool Fit(const Space& space, const Loads& loads) {
  Compartments::Scratch scratch;
  return Compartments(space, static_cast<int32_t>(loads.size())).Fit(loads, scratch);
}

// Tries each load dimension, and none, for every compartment from `next` on.
bool FitByTrial(const Space& space, const Loads& left, size_t next = 0) {
  if (std::ranges::all_of(left, [](double load) { return load <= 0; })) return true;
  if (next == space.size()) return false;
  for (size_t k = 0; k < left.size(); ++k) {
    if (!space[next].Holds(static_cast<int32_t>(k))) continue;
    Loads with = left;
    with[k] -= space[next].capacity;
    if (FitByTrial(space, with, next + 1)) return true;
  }
  return FitByTrial(space, left, next + 1);
}

bool FitByTheChecker(const Space& space, const Loads& loads) {
  InstanceData data = test::AnInstance().WithCustomers(1).BuildData();
  data.load_dimensions = static_cast<int32_t>(loads.size());
  data.demands.assign(loads.size(), 0);
  data.demands.insert(data.demands.end(), loads.begin(), loads.end());
  data.vehicles[0].capacity = kNoLimit;
  data.vehicles[0].compartments = space;
  return CheckPlan(*Instance::Create(data), {{.vehicle_type = 0, .customers = {1}}}).feasible;
}

struct Drawn {
  Space space;
  Loads loads;
};

// Often only just feasible: the loads come from an assignment, give or take one.
Drawn Draw(FastRandom& random, int32_t sizes) {
  Drawn drawn;
  const int32_t dimensions = random.Between(1, 5);
  drawn.loads.assign(dimensions, 0);
  for (int32_t c = random.Between(1, 6); c > 0; --c) {
    Compartment& added = drawn.space.emplace_back();
    added.capacity = random.Between(1, sizes);
    for (int32_t k = 0; k < dimensions; ++k) {
      if (random.Unit() < 0.4) added.load_dimensions.push_back(k);
    }
    const int32_t k = random.Below(dimensions);
    if (added.Holds(k)) drawn.loads[k] += added.capacity;
  }
  for (double& load : drawn.loads) load = std::max(0.0, load + random.Between(-2, 1));
  return drawn;
}

TEST(CompartmentsTest, HoldWhatSomeAssignmentHolds) {
  FastRandom random(1);
  int32_t fits = 0;
  constexpr int32_t kCases = 20'000;
  for (int32_t i = 0; i < kCases; ++i) {
    const Drawn drawn = Draw(random, i % 3 == 0 ? 2 : 9);
    const bool expected = FitByTrial(drawn.space, drawn.loads);
    ASSERT_EQ(Fit(drawn.space, drawn.loads), expected) << i;
    ASSERT_EQ(FitByTheChecker(drawn.space, drawn.loads), expected) << i;
    fits += expected;
  }
  EXPECT_GT(fits, kCases / 5);
  EXPECT_LT(fits, 4 * kCases / 5);
}

// The smallest compartment that suffices for the first load is the only one for the second.
TEST(CompartmentsTest, AreAssignedAnewWhereTheSimpleChoiceFails) {
  const Space space = {{.capacity = 5}, {.capacity = 6, .load_dimensions = {0}}};
  EXPECT_TRUE(Fit(space, {5, 4}));
  EXPECT_TRUE(Fit(space, {6, 5}));
  EXPECT_FALSE(Fit(space, {7, 4}));
  EXPECT_FALSE(Fit(space, {0, 6}));
  EXPECT_TRUE(Fit(space, {11, 0}));
}

// Six loads of 0.1 make no more than 0.6.
TEST(CompartmentsTest, AllowForTheRoundingOfSums) {
  double load = 0;
  for (int i = 0; i < 6; ++i) load += 0.1;
  EXPECT_TRUE(Fit({{.capacity = 0.6}, {.capacity = 1}}, {load, 1}));
  EXPECT_FALSE(Fit({{.capacity = 0.6}, {.capacity = 1}}, {load, 1.001}));
}

TEST(CompartmentsTest, MayBeSixteenUnlikeOnes) {
  Space space;
  Loads loads(4, 0);
  for (int32_t c = 0; c < 16; ++c) {
    space.push_back({.capacity = 100.0 + c * c});
    loads[c % 4] += space.back().capacity;
  }
  EXPECT_TRUE(Fit(space, loads));
  EXPECT_TRUE(FitByTheChecker(space, loads));
  loads[0] += 1;
  EXPECT_FALSE(Fit(space, loads));
  EXPECT_FALSE(FitByTheChecker(space, loads));
}

}  // namespace
}  // namespace vrp
