// Tests the checker's limit and price of the spread between routes.
#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/problem/checker_messages.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::CheckData;
using test::kWholeLine;
using test::LineWithWindows;
using test::Messages;
using testing::ElementsAre;
using testing::IsEmpty;

// Routes of 60, 20 and 20 units: customers at 10, 20 and 30 on a line.
TEST(CheckerBalanceTest, ReportsRoutesThatDifferTooMuch) {
  InstanceData data = LineWithWindows();
  const Plan plan = {{0, {2, 3}}, {0, {1}}};
  data.balance = Balance{.measure = BalanceMeasure::kDistance, .max_spread = 39};
  EXPECT_THAT(Messages(data, plan),
              ElementsAre("balance; routes: distances differ by 40, from 20 (routes[1]) to 60 "
                          "(routes[0]), limit 39"));
  data.balance->max_spread = 40;
  EXPECT_THAT(Messages(data, plan), IsEmpty());
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty()) << "one route has no spread";
  data.balance = Balance{.measure = BalanceMeasure::kStops, .max_spread = 0.5};
  EXPECT_THAT(Messages(data, plan),
              ElementsAre("balance; routes: stops differ by 1, from 1 (routes[1]) to 2 "
                          "(routes[0]), limit 0.5"));
}

TEST(CheckerBalanceTest, CountsAllGoodsOfARouteAsItsLoad) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 4, 0, 0};
  data.pickups = {0, 3, 0, 0};
  data.shipments = {{.id = {}, .pickup = 2, .delivery = 3, .amounts = {5}}};
  data.balance = Balance{.measure = BalanceMeasure::kLoad, .max_spread = 1};
  EXPECT_THAT(Messages(data, {{0, {1}}, {0, {2, 3}}}),
              ElementsAre("balance; routes: loads differ by 2, from 5 (routes[1]) to 7 "
                          "(routes[0]), limit 1"));
}

// The vehicle to customer 1, who opens at 70, leaves at 60 and takes 20, the other one 40.
TEST(CheckerBalanceTest, BalancesDurationsThatStartAsLateAsPossible) {
  InstanceData data = LineWithWindows();
  data.windows[1].open = 70;
  data.balance = Balance{.measure = BalanceMeasure::kDuration, .max_spread = 20};
  EXPECT_THAT(Messages(data, {{0, {1}}, {0, {2}}, {0, {}}}),
              ElementsAre("missing_customer; customer 3 is not visited"));
}

TEST(CheckerBalanceTest, CountsUnusedVehiclesOnRequest) {
  InstanceData data = LineWithWindows();
  data.vehicles[0].count = 2;
  data.balance =
      Balance{.measure = BalanceMeasure::kDistance, .max_spread = 59, .all_vehicles = true};
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("balance; routes: distances differ by 60, from 0 (an unused vehicle) to "
                          "60 (routes[0]), limit 59"));
  EXPECT_THAT(Messages(data, {{0, {1}}, {0, {2, 3}}}), IsEmpty());
}

TEST(CheckerBalanceTest, AddsThePriceOfTheSpreadToTheCost) {
  InstanceData data = LineWithWindows();
  data.balance = Balance{.measure = BalanceMeasure::kStops, .cost = 7};
  EXPECT_EQ(CheckData(data, {{0, {1}}, {0, {2, 3}}}).cost, 87);
  EXPECT_EQ(CheckData(data, kWholeLine).cost, 60);
}

}  // namespace
}  // namespace vrp
