#include "core/base/cpu_pool.h"

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

class CpuPoolTest : public testing::TestWithParam<int> {};

TEST_P(CpuPoolTest, ParallelForCallsEachIndexOnce) {
  CpuPool pool(GetParam());
  for (const int64_t count : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
    pool.ParallelFor(count, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
    for (const auto& call : calls) EXPECT_EQ(call.load(), 1);
  }
}

TEST_P(CpuPoolTest, FinishesNestedLoops) {
  CpuPool pool(GetParam());
  std::atomic<int> calls{0};
  pool.ParallelFor(8, [&](int64_t) {
    pool.ParallelFor(8, [&](int64_t) { pool.ParallelFor(3, [&](int64_t) { ++calls; }); });
  });
  EXPECT_EQ(calls.load(), 8 * 8 * 3);
}

TEST_P(CpuPoolTest, SubmitReturnsTheResult) {
  CpuPool pool(GetParam());
  std::vector<std::future<int>> results;
  for (int i = 0; i < 50; ++i) results.push_back(pool.Submit([i] { return i * i; }));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(results[static_cast<size_t>(i)].get(), i * i);
}

TEST_P(CpuPoolTest, RethrowsALoopsExceptionAndKeepsWorking) {
  CpuPool pool(GetParam());
  std::atomic<int> started{0};
  const auto fail_at_17 = [&](int64_t i) {
    ++started;
    if (i == 17) throw std::bad_alloc();
  };
  EXPECT_THROW(pool.ParallelFor(1000, fail_at_17), std::bad_alloc);
  if (pool.threads() == 1) {
    EXPECT_EQ(started.load(), 18);
  }
  std::atomic<int> calls{0};
  pool.ParallelFor(100, [&](int64_t) { ++calls; });
  EXPECT_EQ(calls.load(), 100);
}

INSTANTIATE_TEST_SUITE_P(Threads, CpuPoolTest, testing::Values(1, 2, 5));

TEST(CpuPoolEdgeTest, AddsNoThreadTimeWithoutHelpers) {
  CpuPool pool(1);
  pool.ParallelFor(100, [](int64_t) {});
  EXPECT_EQ(pool.extra_thread_seconds(), 0);
}

TEST(CpuPoolEdgeTest, HasAtLeastOneWorker) { EXPECT_EQ(CpuPool(0).threads(), 1); }

TEST(CpuPoolEdgeTest, RethrowsAnExceptionFromTheFuture) {
  CpuPool pool(1);
  auto result = pool.Submit([]() -> int { throw std::runtime_error("no"); });
  EXPECT_THROW(result.get(), std::runtime_error);
  EXPECT_EQ(pool.Submit([] { return 1; }).get(), 1);
}

TEST(CpuPoolEdgeTest, RunsQueuedTasksBeforeDestruction) {
  std::atomic<int> calls{0};
  absl::Notification start;
  {
    CpuPool pool(1);
    (void)pool.Submit([&] { start.WaitForNotification(); });
    for (int i = 0; i < 20; ++i) (void)pool.Submit([&] { ++calls; });
    start.Notify();
  }
  EXPECT_EQ(calls.load(), 20);
}

TEST(CpuPoolEdgeTest, RunsALoopWithoutWaitingForBusyWorkers) {
  CpuPool pool(2);
  absl::Notification release;
  auto first = pool.Submit([&] { release.WaitForNotification(); });
  auto second = pool.Submit([&] { release.WaitForNotification(); });
  int calls = 0;  // no helper can start, so the caller makes all calls
  pool.ParallelFor(10, [&](int64_t) { ++calls; });
  EXPECT_EQ(calls, 10);
  release.Notify();
}

}  // namespace
}  // namespace vrp
