// A search that is given a plan truly starts from it: whatever the problem and however little time
// there is, it never answers worse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "core/search/search.h"
#include "core/solve/parallel_search.h"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/random_plan.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::DrawFeatures;
using test::InstanceBuilder;
using test::MakeFeatureInstance;

constexpr double kRounding = 1e-9;  // relative; sums in another order

// Whether the checker finds no defect except unserved customers.
testing::AssertionResult IsSound(const Instance& instance, const Plan& plan) {
  for (const Violation& violation : CheckPlan(instance, plan).violations) {
    if (violation.kind != ViolationKind::kMissingCustomer) {
      return testing::AssertionFailure() << violation.message;
    }
  }
  return testing::AssertionSuccess();
}

void ExpectNotWorse(const Instance& instance, const Plan& plan, const Plan& initial,
                    const std::string& where) {
  const PlanValue found = ValueOf(instance, plan);
  const PlanValue given = ValueOf(instance, initial);
  EXPECT_LE(found.left_out, given.left_out) << where;
  if (found.left_out < given.left_out) return;
  EXPECT_LE(found.routes, given.routes) << where;
  if (found.routes < given.routes) return;
  EXPECT_LE(found.cost, given.cost + kRounding * (1 + std::abs(given.cost))) << where;
}

StopCondition StoppedAlready() {
  const auto cancel = std::make_shared<CancelFlag>();
  cancel->Cancel();
  return {absl::InfiniteFuture(), cancel};
}

// Searches from `initial` in every way that ends soon.
void ExpectNeverWorse(const Instance& instance, const Plan& initial) {
  ASSERT_TRUE(IsSound(instance, initial)) << instance.name();
  SearchOptions stopped, descent, iterated;
  stopped.stop = StoppedAlready();
  descent.max_iterations = 0;
  iterated.max_iterations = 300;
  const std::vector<std::pair<const char*, SearchOptions>> ways = {
      {" stopped already", stopped}, {" descent", descent}, {" iterations", iterated}};
  for (const auto& [name, way] : ways) {
    SearchOptions options = way;
    options.seed = 5;
    options.initial = {initial};
    const std::string where = instance.name() + name;
    const auto reported = [&](const Plan& plan, Cost) {
      ExpectNotWorse(instance, plan, initial, where + ", reported");
    };
    const SearchResult found = *Search(instance, options, reported);
    EXPECT_TRUE(IsSound(instance, found.plan)) << where;
    ExpectNotWorse(instance, found.plan, initial, where);
    const SearchResult together = *ParallelSearch(instance, options, 2, reported);
    ExpectNotWorse(instance, together.plan, initial, where + ", two threads");
  }
}

Plan SearchedPlan(const Instance& instance, int64_t iterations) {
  SearchOptions options;
  options.max_iterations = iterations;
  options.seed = 77;
  return Search(instance, options)->plan;
}

struct PlainKind {
  const char* name;
  InstanceBuilder builder;
};

class PlainInitialPlanTest : public testing::TestWithParam<PlainKind> {};

TEST_P(PlainInitialPlanTest, IsNeverAnsweredWorse) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const auto customers = static_cast<int32_t>(seed * seed % 60 + 1);
    InstanceBuilder builder = GetParam().builder;
    const std::string name = std::string(GetParam().name) + " " + std::to_string(seed);
    const Instance instance = builder.WithCustomers(customers).Seed(seed).Named(name).Build();
    ExpectNeverWorse(instance, SearchedPlan(instance, 3000));
    if (instance.vehicles().empty() || instance.vehicles()[0].count == 0) {
      ExpectNeverWorse(instance, test::RandomFeasiblePlan(instance, seed));
    }
  }
}

std::string NameOf(const testing::TestParamInfo<PlainKind>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    All, PlainInitialPlanTest,
    testing::Values(
        PlainKind{"Cvrp", AnInstance().RandomDemands().Capacity(30)},
        PlainKind{"CvrpRounded", AnInstance().RandomDemands().Capacity(30).As(Metric::kRounded)},
        PlainKind{"CvrpCut", AnInstance().RandomDemands().Capacity(30).As(Metric::kDimacs)},
        PlainKind{"TooFewVehicles", AnInstance().RandomDemands().Capacity(25).Vehicles(2)},
        PlainKind{"Matrix", AnInstance().RandomDemands().Capacity(30).ExplicitMatrix(0.5)},
        PlainKind{"Windows", AnInstance().RandomDemands().Capacity(40).RandomWindows()},
        PlainKind{"Tsp", AnInstance().Kind(ProblemKind::kTsp)},
        PlainKind{"TspMatrix", AnInstance().Kind(ProblemKind::kTsp).ExplicitMatrix(0.5)}),
    NameOf);

TEST(FeatureInitialPlanTest, IsNeverAnsweredWorse) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Instance instance = MakeFeatureInstance({.customers = 5 + static_cast<int32_t>(seed) % 30,
                                                   .seed = seed,
                                                   .features = DrawFeatures(seed),
                                                   .vehicles = seed % 4 == 0 ? 3 : 0});
    ExpectNeverWorse(instance, SearchedPlan(instance, 1500));
    ExpectNeverWorse(instance, {});
  }
}

TEST(FeatureInitialPlanTest, IsNeverAnsweredWorseWithAllFeaturesAtOnce) {
  int32_t sound = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Instance instance = test::RandomConstrainedInstance(seed, 6);
    ExpectNeverWorse(instance, SearchedPlan(instance, 300));
    const Plan random = test::RandomConstrainedPlan(instance, seed);
    if (!IsSound(instance, random)) continue;
    ++sound;
    ExpectNeverWorse(instance, random);
  }
  EXPECT_GE(sound, 10);
}

}  // namespace
}  // namespace vrp
