#include "core/base/steady_time.h"

#include <thread>

#include "absl/time/clock.h"
#include "core/base/stop_signal.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(SteadyNow, GoesForwardAndAgreesWithTheClockThatNobodySets) {
  const absl::Time before = SteadyNow();
  EXPECT_LE(before, SteadyNow());
  EXPECT_LT(absl::AbsDuration(absl::Now() - SteadyNow()), absl::Seconds(5));
}

TEST(SteadyFromWall, KeepsTheDistanceFromNow) {
  const absl::Duration left = SteadyFromWall(absl::Now() + absl::Hours(1)) - SteadyNow();
  EXPECT_GT(left, absl::Minutes(59));
  EXPECT_LT(left, absl::Minutes(61));
  EXPECT_EQ(SteadyFromWall(absl::InfiniteFuture()), absl::InfiniteFuture());
}

TEST(StopSignal, WaitsUntilItIsSet) {
  StopSignal signal;
  EXPECT_FALSE(signal.WaitFor(absl::Milliseconds(1)));
  std::thread setter([&signal] { signal.Set(); });
  EXPECT_TRUE(signal.WaitFor(absl::InfiniteDuration()));
  setter.join();
  EXPECT_TRUE(signal.IsSet());
}

}  // namespace
}  // namespace vrp
