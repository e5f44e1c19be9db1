// Frozen beginnings of routes: every plan keeps them, and is otherwise as good as can be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/random.h"
#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "core/search/search.h"
#include "tests/testing/enumeration.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::HasSubstr;

SearchResult FrozenSearchFor(const Instance& instance, int64_t iterations,
                             std::vector<Plan> initial = {}, uint64_t seed = 1) {
  SearchOptions options;
  options.max_iterations = iterations;
  options.seed = seed;
  options.initial = std::move(initial);
  return *Search(instance, options);
}

// The first visits of some routes of a plan, as many as `random` says; no reload last.
std::vector<FrozenRoute> DrawBeginnings(const Instance& instance, const Plan& plan,
                                        CounterRandom& random) {
  std::vector<FrozenRoute> routes;
  for (size_t r = 0; r < plan.size(); ++r) {
    const auto& customers = plan[r].customers;
    auto count = random.UniformInt(0, std::ssize(customers));
    if (count > 0 && instance.is_depot(customers[count - 1])) --count;
    routes.push_back({.route = static_cast<int32_t>(r),
                      .vehicle_type = plan[r].vehicle_type,
                      .visits = {customers.begin(), customers.begin() + count}});
  }
  return routes;
}

void ExpectSound(const Instance& instance, const Plan& plan, Cost cost) {
  for (const Violation& violation : CheckPlan(instance, plan, cost).violations) {
    EXPECT_EQ(violation.kind, ViolationKind::kMissingCustomer)
        << instance.name() << ": " << violation.message;
  }
}

class FrozenFeatureTest : public testing::TestWithParam<int32_t> {};

TEST_P(FrozenFeatureTest, FindsTheOptimumThatKeepsTheBeginnings) {
  const auto feature = static_cast<Feature>(GetParam());
  CounterRandom random(static_cast<uint64_t>(GetParam()) + 1);
  int frozen_visits = 0;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Instance free = test::MakeFeatureInstance(
        {.customers = 5, .seed = seed, .features = {feature, Feature::kMaxDistance}});
    // Beginnings of a poor plan: that of one insertion after the other in another order.
    const Plan plan = FrozenSearchFor(free, 0, {}, seed).plan;
    const auto frozen = Freeze(free, DrawBeginnings(free, plan, random));
    ASSERT_TRUE(frozen.ok()) << frozen.status();
    for (const FrozenRoute& route : frozen->frozen()) frozen_visits += std::ssize(route.visits);
    const test::EnumerationResult best = test::EnumerateAll(*frozen);
    const SearchResult found = FrozenSearchFor(*frozen, 2000);
    ExpectSound(*frozen, found.plan, found.cost);
    const PlanValue value = ValueOf(*frozen, found.plan);
    EXPECT_EQ(value.left_out, best.value.left_out) << free.name();
    EXPECT_EQ(value.routes, best.value.routes) << free.name();
    EXPECT_NEAR(value.cost, best.value.cost, 1e-6) << free.name();
  }
  EXPECT_GT(frozen_visits, 0);
}

INSTANTIATE_TEST_SUITE_P(All, FrozenFeatureTest,
                         testing::Range(0, static_cast<int32_t>(Feature::kInOrder) + 1));
INSTANTIATE_TEST_SUITE_P(OfVehicles, FrozenFeatureTest,
                         testing::Values(static_cast<int32_t>(Feature::kCustomerTimes),
                                         static_cast<int32_t>(Feature::kServiceTimeCost),
                                         static_cast<int32_t>(Feature::kDepotService),
                                         static_cast<int32_t>(Feature::kTravelTimeCost),
                                         static_cast<int32_t>(Feature::kLengthMatrix)));

TEST(FrozenTest, KeepsTheBeginningsWhateverTheFeatures) {
  CounterRandom random(5);
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Instance free = test::MakeFeatureInstance({.customers = 24,
                                                     .seed = seed,
                                                     .features = test::DrawFeatures(seed),
                                                     .vehicles = seed % 3 == 0 ? 4 : 0});
    const Plan plan = FrozenSearchFor(free, 0).plan;
    const auto frozen = Freeze(free, DrawBeginnings(free, plan, random));
    // A beginning may wait too long without the visits that follow it.
    if (frozen.status().message().find("frozen_stops: waits") != std::string::npos) continue;
    ASSERT_TRUE(frozen.ok()) << frozen.status();
    for (const int64_t iterations : {0, 300}) {
      const SearchResult alone = FrozenSearchFor(*frozen, iterations);
      ExpectSound(*frozen, alone.plan, alone.cost);
      const SearchResult from_plan = FrozenSearchFor(*frozen, iterations, {plan});
      ExpectSound(*frozen, from_plan.plan, from_plan.cost);
      EXPECT_FALSE(ValueOf(*frozen, plan) < ValueOf(*frozen, from_plan.plan)) << free.name();
      EXPECT_EQ(from_plan.plan, FrozenSearchFor(*frozen, iterations, {plan}).plan);
    }
  }
}

TEST(FrozenTest, HoldsForPlainProblemsToo) {
  for (const Instance& free :
       {AnInstance().WithCustomers(30).RandomDemands().Capacity(30).Build(),
        AnInstance().WithCustomers(30).RandomWindows().Build(),
        AnInstance().WithCustomers(450).RandomDemands().Capacity(60).Build(),
        AnInstance().Kind(ProblemKind::kTsp).WithCustomers(30).Build(),
        AnInstance().Kind(ProblemKind::kTsp).WithCustomers(30).ExplicitMatrix(0.5).Build()}) {
    std::vector<NodeIndex> visits = FrozenSearchFor(free, 0).plan.front().customers;
    visits.resize(std::min<size_t>(visits.size(), 2));
    std::reverse(visits.begin(), visits.end());
    if (free.has_windows()) visits.resize(1);
    const auto frozen = Freeze(free, {{.vehicle_type = 0, .visits = visits}});
    ASSERT_TRUE(frozen.ok()) << frozen.status();
    const SearchResult found = FrozenSearchFor(*frozen, 300);
    EXPECT_TRUE(CheckPlan(*frozen, found.plan, found.cost).feasible);
    EXPECT_FALSE(IsPlain(*frozen));
  }
}

// Of seven goods on board, more than all orders are tried for, the last is delivered first.
TEST(FrozenTest, DeliversGoodsOnBoardInReverseOrderWithLifo) {
  InstanceData data = AnInstance().WithCustomers(18).Capacity(20).BuildData();
  data.demands.assign(19, 0);
  for (NodeIndex node = 1; node <= 17; node += 2) {
    data.shipments.push_back({.pickup = node, .delivery = node + 1, .amounts = {1}});
  }
  data.vehicles[0].lifo = true;
  for (const size_t on_board : {2u, 7u}) {
    std::vector<NodeIndex> visits = {5, 1, 9, 3, 13, 7, 11};
    visits.resize(on_board);
    const auto frozen = Freeze(*Instance::Create(data), {{.vehicle_type = 0, .visits = visits}});
    ASSERT_TRUE(frozen.ok()) << frozen.status();
    for (const int64_t iterations : {0, 1000}) {
      const SearchResult found = FrozenSearchFor(*frozen, iterations);
      EXPECT_TRUE(CheckPlan(*frozen, found.plan, found.cost).feasible) << on_board;
    }
  }
}

TEST(FrozenTest, TheCheckerMissesABeginningThatWasChanged) {
  const Instance free = AnInstance().WithCustomers(4).Build();
  const auto frozen = Freeze(free, {{.route = 0, .vehicle_type = 0, .visits = {2, 1}}});
  const auto wrong = [&](const Plan& plan) {
    const auto violations = CheckPlan(*frozen, plan).violations;
    return violations.size() == 1 && violations[0].kind == ViolationKind::kFrozenStops &&
           violations[0].message == "no route of vehicles[0] begins with the frozen stops 2 1";
  };
  EXPECT_TRUE(CheckPlan(*frozen, {{0, {3}}, {0, {2, 1, 4}}}).feasible);
  EXPECT_TRUE(wrong({{0, {1, 2, 3, 4}}}));
  EXPECT_TRUE(wrong({{0, {2, 3, 1, 4}}}));
  EXPECT_TRUE(wrong({{0, {3, 2, 1, 4}}}));
  EXPECT_TRUE(wrong({{0, {2}}, {0, {1, 3, 4}}}));
}

std::string Refusal(const Instance& instance, std::vector<FrozenRoute> routes) {
  return std::string(Freeze(instance, std::move(routes)).status().message());
}

TEST(FrozenTest, RefusesWhatCannotBeDrivenByTheRuleThatItBreaks) {
  const Instance cvrp = AnInstance().WithCustomers(4).Demands({6, 5, 1, 1}).Vehicles(1).Build();
  EXPECT_EQ(Refusal(cvrp, {{.route = 2, .visits = {1, 2}}}),
            "initial_solution.routes[2].frozen_stops: load 11 exceeds vehicle capacity 10");
  EXPECT_THAT(Refusal(cvrp, {{.route = 0, .visits = {1}}, {.route = 1, .visits = {2}}}),
              HasSubstr("routes[1].frozen_stops: got 2 frozen routes of vehicles[0], wanted at "
                        "most 1"));
  EXPECT_THAT(Refusal(cvrp, {{.visits = {3, 4, 3}}}), HasSubstr("customer 3 is frozen twice"));
  EXPECT_THAT(Refusal(cvrp, {{.visits = {3, 0, 4}}}),
              HasSubstr("node 0 is neither a customer nor a reload"));
  EXPECT_THAT(Refusal(cvrp, {{.visits = {9}}}),
              HasSubstr("node 9 is neither a customer nor a reload"));
  EXPECT_THAT(Refusal(cvrp, {{.vehicle_type = 1, .visits = {1}}}),
              HasSubstr("vehicle type 1 does not exist"));
  const Instance timed =
      AnInstance().At({{0, 0}, {10, 0}, {20, 0}}).Windows({{0, 12}, {0, 90}}, 500).Build();
  EXPECT_THAT(Refusal(timed, {{.visits = {2, 1}}}), HasSubstr("arrives at customer 1 at 30"));
}

// A line of customers: pickups at 1 and 2, deliveries at 3 and 4.
Instance TwoShipments() {
  InstanceData data = AnInstance()
                          .At({{0, 0}, {10, 0}, {20, 0}, {30, 0}, {40, 0}})
                          .Demands({0, 0, 0, 0})
                          .BuildData();
  data.shipments = {{.pickup = 1, .delivery = 4, .amounts = {6}},
                    {.pickup = 2, .delivery = 3, .amounts = {4}}};
  return *Instance::Create(data);
}

TEST(FrozenTest, DeliversInTheSameRouteWhatIsOnBoard) {
  const auto frozen = Freeze(TwoShipments(), {{.route = 0, .visits = {2, 1}}});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  EXPECT_EQ(frozen->frozen()[0].deliveries.size(), 2);
  const SearchResult found = FrozenSearchFor(*frozen, 500);
  EXPECT_EQ(found.plan, (Plan{{0, {2, 1, 3, 4}}}));
  // A plan to start from that has them elsewhere, or not at all.
  for (const Plan& initial : {Plan{{0, {2, 1}}}, Plan{{0, {2, 1}}, {0, {3, 4}}}}) {
    EXPECT_EQ(FrozenSearchFor(*frozen, 0, {initial}).plan.size(), 1);
  }
}

TEST(FrozenTest, RefusesHalvesOfShipmentsAndTwoOfAGroup) {
  const Instance shipments = TwoShipments();
  EXPECT_THAT(Refusal(shipments, {{.visits = {4}}}), HasSubstr("is not frozen before it"));
  EXPECT_THAT(Refusal(shipments, {{.visits = {1}}, {.route = 1, .visits = {4}}}),
              HasSubstr("frozen in another route"));
  InstanceData data = AnInstance().WithCustomers(4).BuildData();
  data.alternative_groups = {{2, 3}};
  EXPECT_THAT(Refusal(*Instance::Create(data), {{.visits = {2, 3}}}),
              HasSubstr("customers 2 and 3 are alternatives"));
}

// As the vehicles differ in nothing else, the search takes them to be of one type.
TEST(FrozenTest, TheNamedVehicleDrivesTheBeginning) {
  InstanceData data = AnInstance().WithCustomers(6).Capacity(3).BuildData();
  data.vehicles = {{.id = "a", .count = 1, .capacity = 3},
                   {.id = "b", .count = 1, .capacity = 3},
                   {.id = "c", .count = 1, .capacity = 3}};
  const auto frozen = Freeze(*Instance::Create(data), {{.vehicle_type = 1, .visits = {5, 2}}});
  const SearchResult found = FrozenSearchFor(*frozen, 300);
  EXPECT_TRUE(CheckPlan(*frozen, found.plan, found.cost).feasible);
}

}  // namespace
}  // namespace vrp
