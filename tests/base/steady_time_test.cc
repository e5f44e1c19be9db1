#include "core/base/steady_time.h"

#include <thread>

#include "absl/time/clock.h"
#include "core/base/stop_signal.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(SteadyNow, NeverDecreasesAndAgreesWithTheSystemClock) {
  const absl::Time before = SteadyNow();
  EXPECT_LE(before, SteadyNow());
  EXPECT_LT(absl::AbsDuration(absl::Now() - SteadyNow()), absl::Seconds(5));
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
