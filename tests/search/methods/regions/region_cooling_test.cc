#include "core/search/methods/regions/region_cooling.h"

#include <cmath>

#include "core/base/steady_time.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

SearchOptions IterationBudget(int64_t most) {
  SearchOptions options;
  options.max_iterations = most;
  return options;
}

SearchOptions TimeBudget(absl::Time deadline) {
  SearchOptions options;
  options.stop = StopCondition(deadline, nullptr);
  return options;
}

TEST(RegionCoolingTest, TakesAllOfAnOrdinaryBudget) {
  const SearchOptions options = IterationBudget(1'000'000);  // 10,000 per customer
  const RegionCooling cooling(options, 100);
  EXPECT_EQ(cooling.coolings(), 1);
  EXPECT_DOUBLE_EQ(cooling.At(250'000, SteadyNow()).phase, 0.25);
  EXPECT_DOUBLE_EQ(cooling.At(250'000, SteadyNow()).iterations, 1'000'000);
  EXPECT_EQ(cooling.At(250'000, SteadyNow()).time, absl::InfiniteDuration());
  EXPECT_DOUBLE_EQ(cooling.At(1'000'000, SteadyNow()).phase, 1);
}

TEST(RegionCoolingTest, DoublesTheCoolingsOfALongBudget) {
  // 511 = 1 + 2 + 4 + ... + 256 coolings of 400 iterations per customer.
  const SearchOptions options = IterationBudget(int64_t{511} * 400 * 10);
  const RegionCooling cooling(options, 10);
  EXPECT_EQ(cooling.coolings(), 9);
  EXPECT_DOUBLE_EQ(cooling.At(1'000, SteadyNow()).phase, 0.25);
  EXPECT_DOUBLE_EQ(cooling.At(1'000, SteadyNow()).iterations, 4'000);
  EXPECT_DOUBLE_EQ(cooling.At(4'000 + 2'000, SteadyNow()).phase, 0.25);
  EXPECT_DOUBLE_EQ(cooling.At(4'000 + 2'000, SteadyNow()).iterations, 8'000);
  EXPECT_DOUBLE_EQ(cooling.At(options.max_iterations, SteadyNow()).phase, 1);
}

TEST(RegionCoolingTest, BeginsAnHourWithAShortCooling) {
  const absl::Time now = SteadyNow();
  const SearchOptions options = TimeBudget(now + absl::Hours(1));
  const RegionCooling cooling(options, 600);
  EXPECT_GT(cooling.At(0, now).time, absl::Seconds(1));
  EXPECT_LT(cooling.At(0, now).time, absl::Seconds(3));
  EXPECT_GT(cooling.At(0, now + absl::Minutes(59)).time, absl::Minutes(29));
  EXPECT_NEAR(cooling.At(0, now + absl::Hours(1)).phase, 1, 1e-6);
}

TEST(RegionCoolingTest, ExpectsIterationsAtThePaceSoFar) {
  const absl::Time now = SteadyNow();
  const SearchOptions options = TimeBudget(now + absl::Seconds(100));
  const RegionCooling cooling(options, 600);
  EXPECT_TRUE(std::isinf(cooling.At(0, now + absl::Seconds(10)).iterations));
  EXPECT_NEAR(cooling.At(50'000, now + absl::Seconds(10)).iterations, 500'000, 50);
}

TEST(RegionCoolingTest, DoublesForeverWithoutAnEnd) {
  const SearchOptions options = TimeBudget(absl::InfiniteFuture());
  const RegionCooling cooling(options, 10);
  EXPECT_EQ(cooling.coolings(), INT32_MAX);
  EXPECT_DOUBLE_EQ(cooling.At(2'000, SteadyNow()).phase, 0.5);
  EXPECT_DOUBLE_EQ(cooling.At(4'000 * 7 + 16'000, SteadyNow()).phase, 0.5);
  EXPECT_DOUBLE_EQ(cooling.At(4'000 * 7 + 16'000, SteadyNow()).iterations, 32'000);
}

TEST(RegionCoolingTest, IsOverAfterADeadlineThatHasPassed) {
  const SearchOptions options = TimeBudget(SteadyNow() - absl::Seconds(1));
  EXPECT_EQ(RegionCooling(options, 10).At(0, SteadyNow()).phase, 1);
}

}  // namespace
}  // namespace vrp
