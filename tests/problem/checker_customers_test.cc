// Tests the checker's rules for shipments, prizes, alternatives and rules between customers.
#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/problem/checker_messages.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::CheckData;
using test::kWholeLine;
using test::LineWithWindows;
using test::Messages;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(CheckerConstraintsTest, ReportsShipmentsOutOfOrderOrSplit) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 0, 0, 0};
  data.shipments = {{.id = "s", .pickup = 1, .delivery = 3, .amounts = {10}}};
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  EXPECT_THAT(Messages(data, {{0, {3, 1, 2}}}),
              ElementsAre("shipment; routes[0]: shipment s is delivered to customer 3 before it is "
                          "picked up"));
  EXPECT_THAT(Messages(data, {{0, {1, 2}}, {0, {3}}}),
              ElementsAre("shipment; routes[1]: shipment s is delivered by another route than the "
                          "one that picks it up, routes[0]"));
  EXPECT_THAT(Messages(data, {{0, {1, 2}}}),
              ElementsAre("shipment; routes[0]: shipment s is picked up at customer 1, but not "
                          "delivered",
                          "missing_customer; customer 3 is not visited"));
  EXPECT_THAT(Messages(data, {{0, {2, 3}}}),
              ElementsAre("shipment; routes[0]: shipment s is delivered to customer 3, but not "
                          "picked up",
                          "missing_customer; customer 1 is not visited"));
  data.demands[2] = 1;
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("capacity; routes[0]: load 11 exceeds vehicle capacity 10"));
  EXPECT_THAT(Messages(data, {{0, {2, 1, 3}}}), IsEmpty());
}

TEST(CheckerConstraintsTest, ChargesThePrizesOfUnservedCustomers) {
  InstanceData data = LineWithWindows();
  data.prizes = {kNoLimit, kNoLimit, 5, 7};
  EXPECT_THAT(Messages(data, {{0, {1}}}), IsEmpty());
  EXPECT_EQ(CheckData(data, {{0, {1}}}).cost, 20 + 5 + 7);
  data.priorities = {0, 3, 0, 0};
  const CheckReport report = CheckData(data, {{0, {3}}});
  EXPECT_FALSE(report.feasible);
  EXPECT_EQ(report.left_out, 4);
}

TEST(CheckerConstraintsTest, RequiresExactlyOneOfTheAlternatives) {
  InstanceData data = LineWithWindows();
  data.alternative_groups = {{2, 3}};
  data.priorities = {0, 0, 1, 5};
  EXPECT_THAT(Messages(data, {{0, {1, 3}}}), IsEmpty());
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("alternatives; 2 customers of alternative_groups[0] are visited, wanted "
                          "one"));
  EXPECT_THAT(Messages(data, {{0, {1}}}),
              ElementsAre("missing_customer; no customer of alternative_groups[0] is visited"));
  EXPECT_EQ(CheckData(data, {{0, {1}}}).left_out, 6);
  data.prizes = {kNoLimit, kNoLimit, 9, 9};
  EXPECT_THAT(Messages(data, {{0, {1}}}), IsEmpty());
  EXPECT_EQ(CheckData(data, {{0, {1}}}).cost, 29);
}

TEST(CheckerConstraintsTest, ChargesTheDifferenceToTheLargestPrizeOfAGroup) {
  InstanceData data = LineWithWindows();
  data.alternative_groups = {{2, 3}};
  const double shorter = CheckData(data, {{0, {1, 2}}}).cost;
  const double longer = CheckData(data, {{0, {1, 3}}}).cost;
  data.prizes = {kNoLimit, kNoLimit, 4, 9};
  EXPECT_EQ(CheckData(data, {{0, {1, 2}}}).cost, shorter + 5);
  EXPECT_EQ(CheckData(data, {{0, {1, 3}}}).cost, longer);
  EXPECT_EQ(CheckData(data, {{0, {1}}}).cost, 29);
  EXPECT_THAT(Messages(data, {{0, {1}}}), IsEmpty());
  data.prizes[2] = kNoLimit;
  EXPECT_EQ(CheckData(data, {{0, {1, 2}}}).cost, shorter + 9);
  EXPECT_THAT(Messages(data, {{0, {1}}}),
              ElementsAre("missing_customer; no customer of alternative_groups[0] is visited"));
}

TEST(CheckerConstraintsTest, RequiresExactlyOneOfAlternativeShipments) {
  InstanceData data = test::AnInstance().WithCustomers(5).BuildData();
  data.shipments = {{.pickup = 1, .delivery = 2, .amounts = {1}},
                    {.pickup = 3, .delivery = 4, .amounts = {1}}};
  data.alternative_groups = {{1, 3}};
  data.priorities = {0, 1, 2, 3, 4, 0};
  EXPECT_THAT(Messages(data, {{0, {5, 3, 4}}}), IsEmpty());
  EXPECT_THAT(Messages(data, {{0, {5, 3, 4, 1, 2}}}),
              ElementsAre("alternatives; 2 customers of alternative_groups[0] are visited, wanted "
                          "one"));
  EXPECT_EQ(CheckData(data, {{0, {5}}}).left_out, 9);
  const double cost = CheckData(data, {{0, {5}}}).cost;
  data.prizes = {kNoLimit, 4, 5, 6, 3, kNoLimit};
  EXPECT_NEAR(CheckData(data, {{0, {5}}}).cost, cost + 9, 1e-9);
}

TEST(CheckerConstraintsTest, CountsTheCustomersOfARuleOnARoute) {
  InstanceData data = LineWithWindows();
  data.customer_rules = {{.kind = RuleKind::kMaxPerRoute, .customers = {1, 2, 3}, .max = 2}};
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("max_per_route; routes[0]: serves 3 customers of customer_rules[0], "
                          "wanted at most 2"));
  EXPECT_THAT(Messages(data, {{0, {1, 2}}, {0, {3}}}), IsEmpty());
  data.customer_rules = {{.kind = RuleKind::kDifferentRoutes, .customers = {3, 1}}};
  EXPECT_THAT(Messages(data, {{0, {2}}, {0, {1, 3}}}),
              ElementsAre("different_routes; routes[1]: serves 2 customers of customer_rules[0], "
                          "wanted at most 1"));
  EXPECT_THAT(Messages(data, {{0, {1, 2}}, {0, {3}}}), IsEmpty());
}

TEST(CheckerConstraintsTest, ReportsVisitsOutOfOrder) {
  InstanceData data = LineWithWindows();
  data.customer_rules = {{.kind = RuleKind::kInOrder, .customers = {3, 2, 1}}};
  EXPECT_THAT(Messages(data, {{0, {3, 1, 2}}}),
              ElementsAre("in_order; routes[0]: visits customer 2 after customer 1, wanted the "
                          "order of customer_rules[0]"));
  EXPECT_THAT(Messages(data, {{0, {3, 2, 1}}}), IsEmpty());
  EXPECT_THAT(Messages(data, {{0, {1}}, {0, {2}}, {0, {3}}}), IsEmpty());
}

TEST(CheckerConstraintsTest, ReportsCustomersApartThatMustShareARoute) {
  InstanceData data = LineWithWindows();
  data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {1, 2}},
                         {.kind = RuleKind::kSameRoute, .customers = {3, 2}}};
  data.prizes = {kNoLimit, kNoLimit, 4, kNoLimit};
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  EXPECT_THAT(Messages(data, {{0, {1, 3}}}), IsEmpty());
  const auto apart = ElementsAre(
      "same_route; routes[1]: serves customer 3, which must share a route with customer 1 on "
      "routes[0]");
  EXPECT_THAT(Messages(data, {{0, {1, 2}}, {0, {3}}}), apart);
  // The rules join even where their common customer is left out.
  EXPECT_THAT(Messages(data, {{0, {1}}, {0, {3}}}), apart);
}

TEST(CheckerConstraintsTest, KeepsBothEndsOfAShipmentWithTheCustomersThatShareTheirRoute) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 1, 0, 0};
  data.shipments = {{.id = "s", .pickup = 2, .delivery = 3, .amounts = {1}}};
  data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {3, 1}}};
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  EXPECT_THAT(Messages(data, {{0, {1}}, {0, {2, 3}}}),
              ElementsAre("same_route; routes[0]: serves customer 1, which must share a route with "
                          "customer 3 on routes[1]"));
}

}  // namespace
}  // namespace vrp
