#include "core/habits/usual_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/habits/habit_guide.h"
#include "core/habits/routes/learn_route_habits.h"
#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "tests/habits/fake_habit_model.h"
#include "tests/habits/habits_testing.h"

namespace vrp {
namespace {

using test::PlaceOf;
using test::ShortRoute;
using testing::ElementsAre;

constexpr double kAnyCost = 1e9;

// Ann drives up the street a and down b; Bob up c and down d.
RouteHabits AnnAndBob() {
  std::vector<ShortRoute> routes;
  for (int day = 1; day <= 20; ++day) {
    routes.push_back({.day = day, .driver = "ann", .stops = {"a1", "a5", "a9", "b9", "b5", "b1"}});
    routes.push_back({.day = day, .driver = "bob", .stops = {"c2", "c6", "c8", "d8", "d4", "d1"}});
  }
  return RouteHabits(LearnRouteHabits(test::HistoryOf(routes), routes.size(), 1));
}

// Returns customers 1 to 4 in Ann's streets, and 5 to 8 in Bob's, in the order of their habits.
InstanceData Streets(const std::vector<std::string>& drivers = {"ann", "bob"}) {
  InstanceData data{.kind = ProblemKind::kCvrp};
  data.positions = {{.x = 0, .y = -5}};
  data.demands = {0};
  for (const char* id : {"a2", "a6", "b7", "b2", "c2", "c6", "d7", "d2"}) {
    data.positions.push_back(PlaceOf(id));
    data.demands.push_back(1);
  }
  for (const std::string& driver : drivers) {
    data.vehicles.push_back({.id = driver, .count = 1, .capacity = 10});
  }
  return data;
}

Instance MadeOf(InstanceData data) { return Instance::Create(std::move(data)).value(); }

// Returns the usual routes as the driver and the customers of each: "ann: 1 2".
std::vector<std::string> UsualOf(const Instance& instance, const Plan& plan,
                                 double odds_cost = kAnyCost) {
  const UsualRoutes usual =
      WithUsualRoutes(instance, AnnAndBob(), odds_cost, plan, StopCondition());
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, usual.plan)));
  std::vector<std::string> routes;
  for (const PlannedRoute& route : usual.plan) {
    std::string& text = routes.emplace_back(Concat(VehicleOf(instance, route).id, ":"));
    for (const NodeIndex node : route.customers) text += Concat(" ", node);
  }
  return routes;
}

TEST(UsualRoutesTest, AreOfTheDriversWhoKnowTheirAreas) {
  EXPECT_THAT(UsualOf(MadeOf(Streets()), {{0, {5, 6, 7, 8}}, {1, {1, 2, 3, 4}}}),
              ElementsAre("bob: 5 6 7 8", "ann: 1 2 3 4"));
}

TEST(UsualRoutesTest, AreOfAsManyVehiclesAsDriversHave) {
  InstanceData data = Streets();
  data.vehicles[0].count = 2;
  EXPECT_THAT(UsualOf(MadeOf(std::move(data)), {{0, {5, 6}}, {0, {7, 8}}, {1, {1, 2, 3, 4}}}),
              testing::Contains("ann: 1 2 3 4"));
}

TEST(UsualRoutesTest, AreDrivenInTheUsualDirection) {
  const UsualRoutes usual = WithUsualRoutes(MadeOf(Streets()), AnnAndBob(), 0,
                                            {{0, {4, 3, 2, 1}}, {1, {5, 6, 7, 8}}}, {});
  EXPECT_EQ(usual.plan, (Plan{{0, {1, 2, 3, 4}}, {1, {5, 6, 7, 8}}}));
  EXPECT_EQ(usual.turned, 1);
  EXPECT_EQ(usual.moved, 0);
}

TEST(UsualRoutesTest, KeepTheDriversOfVehiclesThatDiffer) {
  InstanceData data = Streets();
  data.vehicles[1].capacity = 9;
  EXPECT_THAT(UsualOf(MadeOf(std::move(data)), {{0, {5, 6, 7, 8}}, {1, {1, 2, 3, 4}}}),
              ElementsAre("ann: 5 6 7 8", "bob: 1 2 3 4"));
}

TEST(UsualRoutesTest, KeepTheVehiclesOfDriversWhoAreUnknown) {
  EXPECT_THAT(UsualOf(MadeOf(Streets({"eve", "bob"})), {{0, {5, 6, 7, 8}}, {1, {1, 2, 3, 4}}}),
              ElementsAre("eve: 5 6 7 8", "bob: 1 2 3 4"));
}

TEST(UsualRoutesTest, LeaveFrozenStopsWhereTheyAre) {
  const auto instance = Freeze(MadeOf(Streets()), {{.vehicle_type = 1, .visits = {1}}});
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_THAT(UsualOf(*instance, {{0, {8, 7, 6, 5}}, {1, {1, 4, 3, 2}}}),
              ElementsAre("ann: 5 6 7 8", "bob: 1 4 3 2"));
}

TEST(UsualRoutesTest, BreakNoWindowToTurn) {
  InstanceData data = Streets();
  data.kind = ProblemKind::kVrptw;
  data.windows.assign(9, {.open = 0, .close = 1'000});
  data.services.assign(9, 0);
  data.windows[4].close = 16;  // the first one on the way back
  EXPECT_THAT(UsualOf(MadeOf(std::move(data)), {{0, {4, 3, 2, 1}}, {1, {8, 7, 6, 5}}}),
              ElementsAre("ann: 4 3 2 1", "bob: 5 6 7 8"));
}

TEST(UsualRoutesTest, TurnOnlyForAsMuchAsTheHabitIsWorth) {
  InstanceData data = Streets();
  data.distance_matrix = MadeOf(Streets()).DistanceMatrix();
  data.distance_matrix[1 * 9 + 2] += 100;  // on Ann's usual way
  const Instance instance = MadeOf(std::move(data));
  const Plan plan = {{0, {4, 3, 2, 1}}};
  EXPECT_THAT(UsualOf(instance, plan, 1), ElementsAre("ann: 4 3 2 1"));
  EXPECT_THAT(UsualOf(instance, plan, kAnyCost), ElementsAre("ann: 1 2 3 4"));
}

TEST(UsualRoutesTest, DoNotTurnRoutesWithAnOpenEnd) {
  InstanceData data = Streets();
  for (VehicleType& type : data.vehicles) type.open_end = true;
  EXPECT_THAT(UsualOf(MadeOf(std::move(data)), {{0, {4, 3, 2, 1}}}), ElementsAre("ann: 4 3 2 1"));
}

TEST(UsualRoutesTest, ChangeNothingWithoutPositions) {
  InstanceData data = Streets();
  data.distance_matrix = MadeOf(Streets()).DistanceMatrix();
  data.positions.clear();
  EXPECT_THAT(UsualOf(MadeOf(std::move(data)), {{0, {8, 7, 6, 5}}}), ElementsAre("ann: 8 7 6 5"));
}

TEST(UsualRoutesTest, ChangeNothingAtWeightZero) {
  const Instance instance = MadeOf(Streets());
  const auto routes = std::make_shared<const RouteHabits>(AnnAndBob());
  const Plan plan = {{0, {8, 7, 6, 5}}};
  const auto guide = [&](double weight) {
    return HabitGuide::Create(instance, test::FakeHabitModel(), routes, weight).value();
  };
  EXPECT_EQ(guide(0)->Finish(plan, StopCondition()).plan, plan);
  EXPECT_NE(guide(0.1)->Finish(plan, StopCondition()).plan, plan);
}

TEST(UsualRoutesTest, HaveTheLegsOfAllDriversIfAnyMayGetThem) {
  using test::FakeHabitModel;
  const FakeHabitModel model(FakeHabitModel::Drivers{{"ann", {}}, {"bob", {}}});
  const auto routes = std::make_shared<const RouteHabits>(AnnAndBob());
  const Instance alike = MadeOf(Streets());
  EXPECT_EQ(
      LegProbabilities::Create(alike, model, InterchangeableDrivers(alike, *routes))->num_drivers(),
      1);
  InstanceData data = Streets();
  data.vehicles[1].capacity = 9;
  const Instance unlike = MadeOf(std::move(data));
  EXPECT_EQ(LegProbabilities::Create(unlike, model, InterchangeableDrivers(unlike, *routes))
                ->num_drivers(),
            2);
}

}  // namespace
}  // namespace vrp
