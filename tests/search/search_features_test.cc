// The search on problems beyond the plain one, through its front door.
#include <gtest/gtest.h>

#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/search/model/problem.h"
#include "core/search/search.h"
#include "tests/search/search_expectations.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::DrawFeatures;
using test::ExpectSound;
using test::MakeFeatureInstance;
using test::SearchFor;

// Customer 1 closes at 20, customer 2 opens at 50 and customer 3 at 60, each ten from the next: one
// vehicle waits 20 between the first two, and another takes the last two without waiting.
TEST(WaitingTest, IsKeptToTheLimit) {
  InstanceData data = test::LineWithWindows();
  data.windows[1].close = 20;
  data.windows[2].open = 50;
  data.windows[3].open = 60;
  for (const auto& [limit, cost] : {std::pair{20.0, 60.0}, {19.99, 80.0}, {0.0, 80.0}}) {
    data.vehicles[0].max_waiting = limit;
    const Instance instance = *Instance::Create(data);
    const SearchResult found = SearchFor(instance, 300);
    ExpectSound(instance, found);
    EXPECT_NEAR(found.cost, cost, 1e-9) << limit;
  }
}

// No rounding of sums makes a route wait where nothing opens or closes.
TEST(WaitingTest, IsNoneWithoutWindows) {
  InstanceData data = test::AnInstance().WithCustomers(40).Service(0.1).Capacity(100).BuildData();
  data.vehicles[0].max_waiting = 0;
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 1000);
  ExpectSound(instance, found);
  EXPECT_EQ(found.plan.size(), 1u);
}

// A load that the larger van takes is too much for the smaller one.
TEST(SearchFeaturesTest, KeepsTheCapacityOfAVanBesideOneWithoutALimit) {
  InstanceData data = test::AnInstance().WithCustomers(6).Capacity(2).BuildData();
  data.vehicles.push_back({.max_stops = 2});
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 1000);
  ExpectSound(instance, found);
  EXPECT_EQ(found.plan.size(), 3u);
}

TEST(SearchFeaturesTest, ServesAllButTheCustomersWhomNoVehicleCanCarry) {
  InstanceData data = test::AnInstance().WithCustomers(6).Capacity(4).BuildData();
  data.load_dimensions = 2;
  data.vehicles[0].further_capacities = {0};
  data.demands = {0, 0, 1, 0, 5, 0, 1, 1, 1, 0, 1, 0, 1, 0};
  data.objective = Objective::kDuration;
  const Instance instance = *Instance::Create(data);
  const SearchResult found = SearchFor(instance, 1000);
  ExpectSound(instance, found);
  EXPECT_EQ(ValueOf(instance, found.plan).left_out, 2);
}

TEST(SearchFeaturesTest, AnswersPassTheChecker) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Instance instance = MakeFeatureInstance({.customers = 25 + static_cast<int32_t>(seed),
                                                   .seed = seed,
                                                   .features = DrawFeatures(seed),
                                                   .vehicles = seed % 4 == 0 ? 3 : 0});
    ExpectSound(instance, SearchFor(instance, 200));
  }
}

TEST(SearchFeaturesTest, RepeatsItselfForASeedAndANumberOfIterations) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Instance instance =
        MakeFeatureInstance({.customers = 40, .seed = seed, .features = DrawFeatures(seed)});
    const SearchResult first = SearchFor(instance, 300, 9);
    EXPECT_EQ(first.plan, SearchFor(instance, 300, 9).plan) << instance.name();
    EXPECT_EQ(first.iterations, 300);
    EXPECT_EQ(first.ended_by, SearchEnd::kIterations);
  }
}

TEST(SearchFeaturesTest, IsNeverWorseThanThePlanThatItWasGiven) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Instance instance =
        MakeFeatureInstance({.customers = 30, .seed = seed, .features = DrawFeatures(seed)});
    SearchOptions options;
    options.initial = {SearchFor(instance, 2000).plan};
    options.max_iterations = 0;
    const SearchResult found = *Search(instance, options);
    EXPECT_LE(ValueOf(instance, found.plan).cost, ValueOf(instance, options.initial[0]).cost + 1e-6)
        << instance.name();
  }
}

TEST(FirstPlanTest, FillsRoutesOnTheWayToTheFarthest) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Instance instance = MakeFeatureInstance(
        {.customers = 300, .seed = seed, .features = {Feature::kBackhauls, Feature::kSkills}});
    const SearchResult first = SearchFor(instance, 0);
    ExpectSound(instance, first);
    EXPECT_LT(first.cost, 1.35 * SearchFor(instance, 5000).cost) << instance.name();
  }
}

// As many vehicles of 10 as far customers of 3 and near ones of 7: each takes one of both.
TEST(FirstPlanTest, BeginsWithTheBulkiestWhereTheFarthestLeaveThemNoRoom) {
  constexpr int32_t kVehicles = 80;
  std::vector<Position> positions = {{0, 0}};
  std::vector<double> demands;
  for (int32_t i = 0; i < kVehicles; ++i) {
    positions.push_back({100 + 0.01 * i, 0});
    positions.push_back({10 + 0.01 * i, 0});
    demands.insert(demands.end(), {3, 7});
  }
  const Instance instance = test::AnInstance()
                                .At(positions)
                                .Demands(demands)
                                .Vehicles(kVehicles)
                                .MaxDistance(1000)
                                .Build();
  const SearchResult first = SearchFor(instance, 0);
  EXPECT_TRUE(CheckPlan(instance, first.plan).feasible);
}

// By every other customer's skill there are two problems, which share no route.
TEST(NeighbourTest, AreThoseWhomOneVehicleMayServeBoth) {
  InstanceData data = test::AnInstance().WithCustomers(400).BuildData();
  data.vehicles = {{.id = "crane", .capacity = 10, .skills = {"crane"}},
                   {.id = "cold", .capacity = 10, .skills = {"cold"}}};
  data.required_skills.resize(401);
  for (size_t i = 1; i <= 400; ++i) data.required_skills[i] = {i % 2 == 0 ? "crane" : "cold"};
  for (const bool by_matrix : {false, true}) {
    if (by_matrix) data.distance_matrix = Instance::Create(data)->DistanceMatrix();
    const Problem problem = Problem::Create(*Instance::Create(data), {});
    for (NodeIndex node = 1; node <= 400; ++node) {
      EXPECT_EQ(std::ssize(problem.Near(node)), Problem::kListedLarge);
      for (const NodeIndex other : problem.Near(node)) EXPECT_EQ(other % 2, node % 2);
    }
  }
}

// Two groups, far from the depot and from each other: the larger one pays for a route, the other
// does not, and both together cost more than nobody.
TEST(SearchFeaturesTest, ServesAFarGroupThatPaysForARouteOnlyTogether) {
  constexpr int32_t kPays = 40;
  constexpr int32_t kAll = 60;
  InstanceData data = test::AnInstance().WithCustomers(kAll).Capacity(kPays).Build().data();
  data.positions[0] = {0, 0};
  for (int32_t i = 1; i <= kAll; ++i) {
    data.positions[i] = {(i <= kPays ? 1000.0 : -1000.0) + i % 8, i / 8.0};
  }
  data.prizes.assign(kAll + 1, 60);
  data.prizes[0] = kNoLimit;
  const Instance instance = *Instance::Create(std::move(data));
  const SearchResult found = SearchFor(instance, 2000);
  ExpectSound(instance, found);
  ASSERT_EQ(found.plan.size(), 1);
  EXPECT_EQ(found.plan.front().customers.size(), kPays);
}

TEST(SearchFeaturesTest, RepairsAPlanThatBreaksEveryRule) {
  const Instance instance =
      MakeFeatureInstance({.customers = 20,
                           .features = {Feature::kShipments, Feature::kSkills, Feature::kMaxStops,
                                        Feature::kObjective}});
  PlannedRoute all{.vehicle_type = 1};
  for (NodeIndex node = instance.num_nodes(); node >= -1; --node) all.customers.push_back(node);
  SearchOptions options;
  options.initial = {{all, all, {.vehicle_type = 7, .customers = {2}}}};
  options.max_iterations = 0;
  const SearchResult found = *Search(instance, options);
  EXPECT_TRUE(CheckPlan(instance, found.plan, found.cost).feasible);
}

TEST(FeatureStopTest, GivesASoundPlanWhenTheTimeIsOverFromTheStart) {
  for (const int32_t customers : {1, 2, 30, 3000}) {
    const Instance instance = MakeFeatureInstance(
        {.customers = customers, .features = {Feature::kShipments, Feature::kVehicleTypes}});
    SearchOptions options;
    options.stop = StopCondition(absl::InfinitePast(), nullptr);
    const SearchResult found = *Search(instance, options);
    ExpectSound(instance, found);
    EXPECT_FALSE(found.plan.empty());
    EXPECT_EQ(found.ended_by, SearchEnd::kDeadline);
  }
}

TEST(FeatureStopTest, EndsWhenAnotherThreadCancels) {
  const Instance instance =
      MakeFeatureInstance({.customers = 100, .features = {Feature::kSeveralDepots}});
  const auto cancel = std::make_shared<CancelFlag>();
  SearchOptions options;
  options.stop = StopCondition(absl::InfiniteFuture(), cancel);
  std::thread canceller;
  const auto found = Search(instance, options, [&](const Plan&, Cost) {
    if (!canceller.joinable()) canceller = std::thread([&] { cancel->Cancel(); });
  });
  ASSERT_TRUE(canceller.joinable());
  canceller.join();
  ExpectSound(instance, *found);
  EXPECT_EQ(found->ended_by, SearchEnd::kCancelled);
}

TEST(FeatureStopTest, EndsAtOnceWhereThereIsNoChoice) {
  const Instance instance =
      MakeFeatureInstance({.customers = 1, .features = {Feature::kVehicleTypes}});
  const SearchResult found = *Search(instance, {});
  ExpectSound(instance, found);
  EXPECT_EQ(found.ended_by, SearchEnd::kLocalOptimum);
}

TEST(FeatureStopTest, EndsAtTheDeadline) {
  SearchOptions options;
  options.stop = StopCondition(SteadyNow() + absl::Milliseconds(30), nullptr);
  const Instance instance = MakeFeatureInstance({.customers = 100, .features = {Feature::kBreaks}});
  EXPECT_EQ(Search(instance, options)->ended_by, SearchEnd::kDeadline);
}

}  // namespace
}  // namespace vrp
