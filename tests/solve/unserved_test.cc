#include "core/solve/unserved.h"

#include <gtest/gtest.h>

#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

std::string ReasonFor(const Instance& instance, const Plan& plan) {
  const Solution solution = WithReasons(instance, *MakeSolution(instance, plan));
  return solution.unserved.empty() ? "" : solution.unserved.back().reason;
}

TEST(UnservedTest, TellsAWindowThatCannotBeReached) {
  const Instance late =
      AnInstance().At({{0, 0}, {10, 0}, {90, 0}}).Windows({{0, 50}, {0, 20}}, 500).Build();
  EXPECT_EQ(ReasonFor(late, {{0, {1}}}), "time window cannot be reached");
}

TEST(UnservedTest, TellsADepotThatClosesBeforeTheReturn) {
  const Instance late =
      AnInstance().At({{0, 0}, {10, 0}, {40, 0}}).Windows({{0, 50}, {0, 50}}, 70).Build();
  EXPECT_EQ(ReasonFor(late, {{0, {1}}}), "time window cannot be reached");
}

TEST(UnservedTest, TellsAFleetThatIsUsedUp) {
  const Instance instance = AnInstance().WithCustomers(3).Capacity(1).Vehicles(2).Build();
  EXPECT_EQ(ReasonFor(instance, {{0, {1}}, {0, {2}}}), "fleet exhausted");
}

TEST(UnservedTest, TellsThatTheBudgetWasTooShortOtherwise) {
  const Instance instance = AnInstance().WithCustomers(2).Build();
  EXPECT_EQ(ReasonFor(instance, {{0, {1}}}), "no feasible position found in the budget");
}

TEST(UnservedTest, SaysNothingWhenAllAreServed) {
  EXPECT_EQ(ReasonFor(AnInstance().WithCustomers(1).Build(), {{0, {1}}}), "");
}

}  // namespace
}  // namespace vrp
