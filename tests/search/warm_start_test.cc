// Searches that are given plans to start from.
#include <gtest/gtest.h>

#include "core/problem/checker/checker.h"
#include "core/search/search.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

SearchResult SearchFor(const Instance& instance, int64_t iterations) {
  SearchOptions options;
  options.max_iterations = iterations;
  return *Search(instance, options);
}

// One of each way to search, then mixtures of features.
std::vector<Instance> ManyInstances() {
  const auto builder = AnInstance().WithCustomers(60).RandomDemands().Capacity(30);
  std::vector<Instance> instances = {
      test::InstanceBuilder(builder).Build(),
      test::InstanceBuilder(builder).WithCustomers(320).Build(),
      test::InstanceBuilder(builder).RandomWindows().Build(),
      test::InstanceBuilder(builder).ExplicitMatrix(0.5).Build(),
      AnInstance().Kind(ProblemKind::kTsp).WithCustomers(60).Build(),
      AnInstance().Kind(ProblemKind::kTsp).WithCustomers(60).ExplicitMatrix(0.5).Build()};
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    instances.push_back(test::MakeFeatureInstance(
        {.customers = 20, .seed = seed, .features = test::DrawFeatures(seed)}));
  }
  return instances;
}

// The checker's tolerance is wider than the search's.
TEST(WarmStartTest, KeepsAGivenPlanThatOnlyTheCheckerCallsFeasible) {
  for (const double limit : {kNoLimit, 1000.0}) {
    const Instance instance = AnInstance()
                                  .At({{0, 0}, {100.0001, 0}, {0, 50}})
                                  .Windows({{0, 100}, {0, 500}}, 1000)
                                  .MaxDistance(limit)
                                  .Build();
    const Plan given = {{0, {1}}, {0, {2}}};
    ASSERT_TRUE(CheckPlan(instance, given).feasible);
    ASSERT_FALSE(CheckPlan(instance, SearchFor(instance, 50).plan).feasible);
    SearchOptions options;
    options.max_iterations = 50;
    options.initial = {given};
    const auto found = Search(instance, options);
    EXPECT_TRUE(CheckPlan(instance, found->plan, found->cost).feasible);
  }
}

TEST(WarmStartTest, GoesOnFromTheGivenPlanInsteadOfFromItsOwn) {
  for (const Instance& instance : ManyInstances()) {
    const SearchResult good = SearchFor(instance, 3000);
    SearchOptions options;
    options.max_iterations = 20;
    options.initial = {good.plan};
    const PlanValue value = ValueOf(instance, Search(instance, options)->plan);
    EXPECT_FALSE(ValueOf(instance, good.plan) < value) << instance.name();
  }
}

// Yesterday's plan for today's customers.
TEST(WarmStartTest, InsertsTheCustomersThatTheGivenPlanLeavesOut) {
  for (const Instance& instance : ManyInstances()) {
    const SearchResult good = SearchFor(instance, 1000);
    Plan partial = good.plan;
    partial.front().customers.pop_back();
    if (partial.front().customers.empty()) partial.erase(partial.begin());
    SearchOptions options;
    options.max_iterations = 300;
    options.initial = {partial};
    const auto found = Search(instance, options);
    EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, found->plan, found->cost)));
    EXPECT_LE(ValueOf(instance, found->plan).left_out, ValueOf(instance, good.plan).left_out)
        << instance.name();
  }
}

TEST(WarmStartTest, ATourTakesTheMissingCitiesInWhereTheyCostLeast) {
  const Instance instance = AnInstance().Kind(ProblemKind::kTsp).WithCustomers(40).Build();
  const SearchResult good = SearchFor(instance, 50'000);
  Plan partial = good.plan;
  for (int i = 0; i < 5; ++i) {
    partial[0].customers.erase(partial[0].customers.begin() + 6 * i + 2);
  }
  SearchOptions options;
  options.max_iterations = 0;
  options.initial = {partial};
  EXPECT_NEAR(Search(instance, options)->cost, good.cost, 1e-6);
}

}  // namespace
}  // namespace vrp
