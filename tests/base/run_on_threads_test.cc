#include "core/base/run_on_threads.h"

#include <atomic>
#include <new>
#include <set>
#include <thread>

#include "absl/synchronization/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::ElementsAre;

TEST(RunOnThreadsTest, MakesTheFirstCallOnThisThread) {
  const std::thread::id caller = std::this_thread::get_id();
  absl::Mutex mutex;
  std::set<int32_t> indices;
  const int32_t calls = RunOnThreads(4, [&](int32_t index) {
    EXPECT_EQ(std::this_thread::get_id() == caller, index == 0);
    absl::MutexLock lock(&mutex);
    indices.insert(index);
  });
  EXPECT_EQ(calls, 4);
  EXPECT_THAT(indices, ElementsAre(0, 1, 2, 3));
}

TEST(RunOnThreadsTest, ThrowsTheExceptionOfAnyThreadOnceAllCallsEnded) {
  for (const int32_t failing : {0, 2}) {
    std::atomic<int> ended = 0;
    const auto body = [&](int32_t index) {
      if (index == failing) throw std::bad_alloc();
      ++ended;
    };
    EXPECT_THROW(RunOnThreads(3, body), std::bad_alloc);
    EXPECT_EQ(ended, 2);
  }
}

}  // namespace
}  // namespace vrp
