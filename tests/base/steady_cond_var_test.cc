#include "core/base/steady_cond_var.h"

#include <thread>

#include "core/base/steady_time.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

class SteadyCondVarTest : public testing::Test {
 protected:
  bool Wait(absl::Duration timeout) {
    absl::MutexLock lock(&mutex_);
    return changed_.WaitFor(&mutex_, timeout, [this] {
      mutex_.AssertHeld();
      return is_set_;
    });
  }
  void Notify() {
    {
      absl::MutexLock lock(&mutex_);
      is_set_ = true;
    }
    changed_.NotifyAll();
  }

  absl::Mutex mutex_;
  SteadyCondVar changed_;
  bool is_set_ ABSL_GUARDED_BY(mutex_) = false;
};

TEST_F(SteadyCondVarTest, WaitsUntilTheTimeoutUnlessTheConditionHolds) {
  const absl::Time start = SteadyNow();
  EXPECT_FALSE(Wait(absl::Milliseconds(20)));
  EXPECT_GE(SteadyNow() - start, absl::Milliseconds(20));
  EXPECT_FALSE(Wait(absl::ZeroDuration()));
  EXPECT_FALSE(Wait(-absl::InfiniteDuration()));
  Notify();
  EXPECT_TRUE(Wait(-absl::Seconds(1)));
}

TEST_F(SteadyCondVarTest, WakesWaitersWithLongTimeouts) {
  bool first = false;
  bool second = false;
  std::thread first_waiter([&] { first = Wait(absl::InfiniteDuration()); });
  std::thread second_waiter([&] { second = Wait(absl::Hours(1)); });
  Notify();
  first_waiter.join();
  second_waiter.join();
  EXPECT_TRUE(first && second);
}

}  // namespace
}  // namespace vrp
