#include "core/solve/unserved.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

std::string ReasonFor(const Instance& instance, const Plan& plan) {
  const Solution solution = WithReasons(instance, *MakeSolution(instance, plan));
  return solution.unserved.empty() ? "" : solution.unserved.back().reason;
}

TEST(UnservedTest, ReportsAnUnreachableWindow) {
  const Instance instance =
      AnInstance().At({{0, 0}, {10, 0}, {90, 0}}).Windows({{0, 50}, {0, 20}}, 500).Build();
  EXPECT_EQ(ReasonFor(instance, {{0, {1}}}), "time window cannot be reached");
}

TEST(UnservedTest, ReportsADepotThatClosesBeforeTheReturn) {
  const Instance instance =
      AnInstance().At({{0, 0}, {10, 0}, {40, 0}}).Windows({{0, 50}, {0, 50}}, 70).Build();
  EXPECT_EQ(ReasonFor(instance, {{0, {1}}}), "time window cannot be reached");
}

TEST(UnservedTest, ReportsAnExhaustedFleet) {
  const Instance instance = AnInstance().WithCustomers(3).Capacity(1).Vehicles(2).Build();
  EXPECT_EQ(ReasonFor(instance, {{0, {1}}, {0, {2}}}), "fleet exhausted");
}

TEST(UnservedTest, ReportsAShortBudgetWithoutAnotherReason) {
  const Instance instance = AnInstance().WithCustomers(2).Build();
  EXPECT_EQ(ReasonFor(instance, {{0, {1}}}), "no feasible position found in the budget");
}

// Returns the reason for customer 2, which is unserved. The depot is at 0, the customers 1 and 2 at
// 10 and 20.
std::string ReasonForTheSecond(const std::function<void(InstanceData&)>& change) {
  InstanceData data = AnInstance().At({{0, 0}, {10, 0}, {20, 0}}).BuildData();
  change(data);
  return ReasonFor(*Instance::Create(data), {{0, {1}}});
}

TEST(UnservedTest, ReportsMissingSkills) {
  EXPECT_EQ(ReasonForTheSecond([](InstanceData& data) {
              data.required_skills = {{}, {}, {"crane"}};
            }),
            "no vehicle has its skills");
}

TEST(UnservedTest, ReportsInsufficientCapacityOfVehiclesWithTheSkills) {
  const auto large = [](InstanceData& data) {
    data.required_skills = {{}, {}, {"crane"}};
    data.vehicles.push_back({.id = "crane", .capacity = 5, .skills = {"crane"}});
    data.demands[2] = 6;
  };
  EXPECT_EQ(ReasonForTheSecond(large), "demand exceeds capacity");
  EXPECT_EQ(ReasonForTheSecond([&](InstanceData& data) {
              large(data);
              data.demands[2] = 5;
            }),
            "no feasible position found in the budget");
}

TEST(UnservedTest, ReportsLimitsThatNoVehicleMeets) {
  EXPECT_EQ(ReasonForTheSecond([](InstanceData& data) { data.vehicles[0].max_distance = 39; }),
            "outside the limits of every vehicle");
  EXPECT_EQ(ReasonForTheSecond([](InstanceData& data) {
              data.vehicles[0].max_duration = 30;
              data.vehicles[0].max_overtime = 9;
            }),
            "outside the limits of every vehicle");
}

// The vehicle leaves by 5, arrives at 25 and would wait until 60.
TEST(UnservedTest, ReportsALimitOnWaitingThatNoVehicleMeets) {
  const auto early = [](InstanceData& data) {
    data.kind = ProblemKind::kVrptw;
    data.windows = {{0, 5}, {0, 900}, {60, 900}};
    data.vehicles[0].open_end = true;
    data.vehicles[0].max_waiting = 34;
  };
  EXPECT_EQ(ReasonForTheSecond(early), "outside the limits of every vehicle");
  EXPECT_EQ(ReasonForTheSecond([&](InstanceData& data) {
              early(data);
              data.vehicles[0].max_waiting = 35;
            }),
            "no feasible position found in the budget");
}

TEST(UnservedTest, ReportsLoadsThatFitInNoCompartments) {
  const auto two_products = [](InstanceData& data) {
    data.load_dimensions = 2;
    data.demands = {0, 0, 1, 1, 2, 3};
    data.vehicles[0].compartments = {{.capacity = 3}};
  };
  EXPECT_EQ(ReasonForTheSecond(two_products), "outside the limits of every vehicle");
  EXPECT_EQ(ReasonForTheSecond([&](InstanceData& data) {
              two_products(data);
              data.vehicles[0].compartments = {{.capacity = 3, .load_dimensions = {0}}};
            }),
            "demand exceeds capacity");
  EXPECT_EQ(ReasonForTheSecond([&](InstanceData& data) {
              two_products(data);
              data.vehicles[0].compartments.push_back({.capacity = 2});
            }),
            "no feasible position found in the budget");
}

TEST(UnservedTest, ReportsAShortShift) {
  EXPECT_EQ(ReasonForTheSecond([](InstanceData& data) {
              data.vehicles[0].shift = {0, 39};
            }),
            "outside the shift of every vehicle");
}

TEST(UnservedTest, ReportsABreakThatDoesNotFit) {
  EXPECT_EQ(ReasonForTheSecond([](InstanceData& data) {
              data.vehicles[0].shift = {10, 60};
              data.vehicles[0].breaks = {{{5, 5}, 1}};
            }),
            "no vehicle can serve it and take its own breaks");
}

// A route returns from customer 2 in time only by way of customer 1.
TEST(UnservedTest, ReportsAnExhaustedFleetIfADetourMakesTheCustomerReachable) {
  const auto detour = [](InstanceData& data) {
    data.duration_matrix = data.distance_matrix = {0, 5, 4, 1, 0, 2, 9, 2, 0};
    data.vehicles[0].max_duration = 9;
    data.vehicles[0].count = 1;
  };
  EXPECT_EQ(ReasonForTheSecond(detour), "fleet exhausted");
  EXPECT_EQ(ReasonForTheSecond([&](InstanceData& data) {
              detour(data);
              data.vehicles[0].max_duration = 6;
            }),
            "outside the limits of every vehicle");
}

TEST(UnservedTest, DoesNotCallAGroupThatMustBeServedCheaperToSkip) {
  InstanceData data = AnInstance().WithCustomers(2).BuildData();
  data.alternative_groups = {{1, 2}};
  data.prizes = {kNoLimit, kNoLimit, 1};
  EXPECT_EQ(ReasonFor(*Instance::Create(data), {}), "no feasible position found in the budget");
}

TEST(UnservedTest, ReportsAPrizeBelowTheDetourCost) {
  EXPECT_EQ(ReasonForTheSecond([](InstanceData& data) {
              data.prizes = {kNoLimit, kNoLimit, 1};
            }),
            "cheaper to skip");
}

TEST(UnservedTest, ChecksBothCustomersOfAShipment) {
  EXPECT_EQ(ReasonForTheSecond([](InstanceData& data) {
              data.positions.push_back({50, 0});
              data.demands.push_back(0);
              data.shipments = {{.id = "s", .pickup = 2, .delivery = 3, .amounts = {1}}};
              data.vehicles[0].max_distance = 99;
            }),
            "outside the limits of every vehicle");
}

TEST(UnservedTest, ReportsAGroupThatNoVehicleTakes) {
  constexpr char kApart[] =
      "no vehicle can serve it along with the customers that must share its route";
  const auto together = [](InstanceData& data) {
    data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {1, 2}}};
  };
  EXPECT_EQ(ReasonForTheSecond(together), "no feasible position found in the budget");
  EXPECT_EQ(ReasonForTheSecond([&](InstanceData& data) {
              together(data);
              data.demands = {0, 6, 5};
            }),
            kApart);
  EXPECT_EQ(ReasonForTheSecond([&](InstanceData& data) {
              together(data);
              data.vehicles[0].max_stops = 1;
            }),
            kApart);
  EXPECT_EQ(ReasonForTheSecond([&](InstanceData& data) {
              together(data);
              data.required_skills = {{}, {"lift"}, {"crane"}};
              data.vehicles[0].skills = {"lift"};
              data.vehicles.push_back({.id = "crane", .skills = {"crane"}});
            }),
            kApart);
  EXPECT_EQ(ReasonForTheSecond([&](InstanceData& data) {
              data.customer_rules = {{.kind = RuleKind::kDifferentRoutes, .customers = {1, 2}}};
              data.vehicles[0].count = 1;
            }),
            "fleet exhausted");
}

TEST(UnservedTest, ReportsAnExhaustedFleetIfAllCapableVehiclesAreUsed) {
  EXPECT_EQ(ReasonForTheSecond([](InstanceData& data) {
              data.required_skills = {{}, {}, {"crane"}};
              data.vehicles[0].count = 1;
              data.vehicles[0].skills = {"crane"};
              data.vehicles.push_back({.id = "other"});
            }),
            "fleet exhausted");
}

TEST(UnservedTest, ReportsNothingIfAllAreServed) {
  EXPECT_EQ(ReasonFor(AnInstance().WithCustomers(1).Build(), {{0, {1}}}), "");
}

}  // namespace
}  // namespace vrp
