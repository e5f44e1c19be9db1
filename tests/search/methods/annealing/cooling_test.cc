#include "core/search/methods/annealing/cooling.h"

#include "gtest/gtest.h"

namespace vrp {
namespace {

SearchOptions Iterations(int64_t most) {
  SearchOptions options;
  options.max_iterations = most;
  return options;
}

SearchOptions Until(absl::Time deadline) {
  SearchOptions options;
  options.stop = StopCondition(deadline, nullptr);
  return options;
}

TEST(CoolingTest, GoesOnceThroughAShortBudget) {
  const SearchOptions options = Iterations(1000);
  const Cooling cooling(options, 10);
  EXPECT_EQ(cooling.Phase(0, SteadyNow()), 0);
  EXPECT_DOUBLE_EQ(cooling.Phase(250, SteadyNow()), 0.25);
  EXPECT_DOUBLE_EQ(cooling.Used(250, SteadyNow()), 0.25);
}

TEST(CoolingTest, RepeatsInALongBudget) {
  const SearchOptions options = Iterations(400'000);  // two of 20,000 a node
  const Cooling cooling(options, 10);
  EXPECT_DOUBLE_EQ(cooling.Phase(100'000, SteadyNow()), 0.5);
  EXPECT_DOUBLE_EQ(cooling.Phase(300'000, SteadyNow()), 0.5);
  EXPECT_DOUBLE_EQ(cooling.Used(300'000, SteadyNow()), 0.75);
}

TEST(CoolingTest, KnowsTheIterationsPerNodeOfAKnownNumber) {
  const SearchOptions one = Iterations(1000);
  EXPECT_DOUBLE_EQ(Cooling(one, 10).IterationsPerNode(3, SteadyNow()), 100);
  const SearchOptions two = Iterations(400'000);
  EXPECT_DOUBLE_EQ(Cooling(two, 10).IterationsPerNode(3, SteadyNow()), 20'000);
}

TEST(CoolingTest, EstimatesTheIterationsPerNodeByTheRateSoFar) {
  const absl::Time begun = SteadyNow();
  const SearchOptions options = Until(begun + absl::Hours(1));
  const Cooling cooling(options, 36'000);  // one of a tenth of a second a node
  EXPECT_NEAR(cooling.IterationsPerNode(36'000, begun + absl::Minutes(6)), 10, 0.01);
  EXPECT_NEAR(cooling.IterationsPerNode(36'000, begun + absl::Minutes(12)), 5, 0.01);
  EXPECT_EQ(cooling.IterationsPerNode(0, begun), 0);
}

TEST(CoolingTest, TakesTheMaximumOfIterationsPerNodeWithoutAnEnd) {
  const SearchOptions options = Until(absl::InfiniteFuture());
  EXPECT_DOUBLE_EQ(Cooling(options, 10).IterationsPerNode(5, SteadyNow()), 20'000);
}

}  // namespace
}  // namespace vrp
