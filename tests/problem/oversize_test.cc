#include "core/problem/instance/oversize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/problem/formats/formats.h"
#include "core/problem/instance/instance.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(OversizeTest, NamesEachLoadThatNoVehicleCanCarry) {
  InstanceData data = AnInstance().WithCustomers(3).Capacity(30).BuildData();
  data.vehicles.push_back({.capacity = 20});
  data.demands = {0, 42, 30, 5};
  data.backhauls = {0, 0, 31, 0};
  data.pickups = {0, 0, 0, 32};
  data.shipments = {{.pickup = 1, .delivery = 2, .amounts = {33}}};
  EXPECT_THAT(OversizeLoads(data),
              ElementsAre("customers[0].demand: 42 exceeds vehicle capacity 30",
                          "customers[1].backhaul: 31 exceeds vehicle capacity 30",
                          "customers[2].pickup: 32 exceeds vehicle capacity 30",
                          "shipments[0].amount[0]: 33 exceeds vehicle capacity 30"));
  EXPECT_TRUE(Instance::Create(data).ok());
}

TEST(OversizeTest, IgnoresLoadsIfACapacityIsInvalid) {
  InstanceData data = AnInstance().WithCustomers(1).Capacity(-1).BuildData();
  data.demands = {0, 2};
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
  data.vehicles[0].capacity = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
}

TEST(OversizeTest, ListsOversizeLoadsAfterOtherErrors) {
  const auto read = ParseInstance(
      R"({"kind": "cvrp", "capacity": 10, "coords": [[0, 0], [1, 1], [2, 2]], "demands": [0, 11, -1]})",
      "two.json");
  EXPECT_EQ(read.status().message(),
            "two.json: customers[1].demand: got -1, wanted at least 0\n"
            "two.json: customers[0].demand: 11 exceeds vehicle capacity 10");
}

TEST(OversizeTest, ComparesEachDimensionWithItsLargestCapacity) {
  InstanceData data = AnInstance().WithCustomers(2).Capacity(5).BuildData();
  data.load_dimensions = 2;
  data.vehicles[0].further_capacities = {0};
  data.demands = {0, 0, 6, 0, 5, 1};
  EXPECT_THAT(OversizeLoads(data),
              ElementsAre("customers[0].demand[0]: 6 exceeds vehicle capacity 5",
                          "customers[1].demand[1]: 1 exceeds vehicle capacity 0"));
  data.vehicles.push_back({});
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
}

TEST(OversizeTest, ComparesEachDimensionWithTheCompartmentsThatMayHoldIt) {
  InstanceData data = AnInstance().WithCustomers(2).Capacity(9).BuildData();
  data.load_dimensions = 3;
  data.vehicles[0].compartments = {{.capacity = 4}, {.capacity = 7, .load_dimensions = {0}}};
  data.demands = {0, 0, 0, 10, 5, 0, 9, 4, 4.5};
  EXPECT_THAT(OversizeLoads(data),
              ElementsAre("customers[0].demand[0]: 10 exceeds vehicle capacity 9",
                          "customers[0].demand[1]: 5 exceeds vehicle capacity 4",
                          "customers[1].demand[2]: 4.5 exceeds vehicle capacity 4"));
  data.vehicles[0].compartments = {{.capacity = 9, .load_dimensions = {0, 1}}};
  EXPECT_THAT(OversizeLoads(data),
              ElementsAre("customers[0].demand[0]: 10 exceeds vehicle capacity 9",
                          "customers[1].demand[2]: 4.5 exceeds vehicle capacity 0"));
}

// Returns six customers with demand 1 that must share a route of a vehicle with capacity 4.
InstanceData SixOnOneRoute() {
  InstanceData data = AnInstance().WithCustomers(6).Capacity(4).BuildData();
  data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {1, 2, 3}},
                         {.kind = RuleKind::kSameRoute, .customers = {3, 4, 5, 6}}};
  return data;
}

TEST(OversizeGroupsTest, NamesTheRuleOfCustomersWhoseLoadExceedsEveryVehicle) {
  InstanceData data = SixOnOneRoute();
  EXPECT_THAT(OversizeLoads(data),
              ElementsAre("customer_rules[0].customers: the customers that must share a route have "
                          "demand 6, which exceeds vehicle capacity 4"));
  EXPECT_TRUE(Instance::Create(data).ok());
  data.vehicles.push_back({.capacity = 6});
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
}

TEST(OversizeGroupsTest, LooksAtLoadsOfEachKindAndDimension) {
  InstanceData data = SixOnOneRoute();
  data.load_dimensions = 2;
  data.vehicles[0].capacity = 100;
  data.vehicles[0].further_capacities = {5};
  data.demands.assign(14, 0);
  data.pickups = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_THAT(OversizeLoads(data),
              ElementsAre("customer_rules[0].customers: the customers that must share a route have "
                          "pickup[1] 6, which exceeds vehicle capacity 5"));
}

TEST(OversizeGroupsTest, CountsOnlyCustomersThatMustBeServed) {
  InstanceData data = SixOnOneRoute();
  data.prizes = {kNoLimit, kNoLimit, kNoLimit, kNoLimit, kNoLimit, 10, 10};
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
  data.prizes.clear();
  data.alternative_groups = {{4, 5, 6}};
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
}

TEST(OversizeGroupsTest, LeavesLoadsOfVehiclesThatReloadAside) {
  InstanceData data = SixOnOneRoute();
  data.vehicles[0].max_reloads = 1;
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
}

TEST(OversizeGroupsTest, NamesTooManyStopsAndMissingSkills) {
  InstanceData data = SixOnOneRoute();
  data.vehicles[0].capacity = 10;
  data.vehicles[0].max_stops = 5;
  EXPECT_THAT(OversizeLoads(data),
              ElementsAre("customer_rules[0].customers: the customers that must share a route are "
                          "6, but no vehicle may make more than 5 stops"));
  data.vehicles[0].max_stops = 6;
  data.required_skills = {{}, {"lift"}, {"cold"}, {}, {}, {}, {}};
  data.vehicles[0].skills = {"lift"};
  data.vehicles.push_back(data.vehicles[0]);
  data.vehicles[1].skills = {"cold"};
  EXPECT_THAT(OversizeLoads(data),
              ElementsAre("customer_rules[0].customers: the customers that must share a route need "
                          "a vehicle with the capacity, the stops and the skills for all of them, "
                          "and there is none"));
  data.vehicles[1].skills = {"cold", "lift"};
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
}

TEST(OversizeGroupsTest, AddsNothingIfANumberIsWrong) {
  InstanceData data = SixOnOneRoute();
  data.customer_rules[1].customers.push_back(70);
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
  data = SixOnOneRoute();
  data.customer_rules[0].customers.clear();
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
  data = SixOnOneRoute();
  data.shipments = {{.pickup = -3, .delivery = 2, .amounts = {1}}};
  EXPECT_THAT(OversizeLoads(data), IsEmpty());
}

TEST(OversizeTest, IgnoresTsps) {
  EXPECT_THAT(OversizeLoads(AnInstance().Kind(ProblemKind::kTsp).BuildData()), IsEmpty());
}

}  // namespace
}  // namespace vrp
