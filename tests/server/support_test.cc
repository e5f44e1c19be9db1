#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "core/base/steady_time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/convert/status_convert.h"
#include "server/support/busy_threads.h"
#include "server/support/forecast.h"
#include "server/support/log_rate_limiter.h"
#include "server/support/message_budget.h"
#include "server/support/restart.h"
#include "server/support/stream_tracker.h"
#include "server/support/work_pool.h"
#include "tests/testing/recorded_watch.h"

namespace vrp {
namespace {

TEST(BusyThreads, LeasesIdleThreadsButAtLeastOne) {
  BusyThreads busy(4);
  EXPECT_EQ(busy.TakeIdle(8).threads(), 4) << "the lease ends at once";
  const BusyThreads::Lease one = busy.Take(1);
  BusyThreads::Lease rest = busy.TakeIdle(2);
  EXPECT_EQ(rest.threads(), 2);
  EXPECT_EQ(busy.busy(), 3);
  const BusyThreads::Lease training = busy.Take(4);
  EXPECT_EQ(busy.TakeIdle(8).threads(), 1) << "the minimum, since no thread is idle";
  BusyThreads::Lease moved = std::move(rest);
  EXPECT_EQ(busy.busy(), 7);
  moved = BusyThreads::Lease();
  EXPECT_EQ(busy.busy(), 5);
}

TEST(WorkPool, RefusesTasksBeyondItsQueueAndRunsTheOthers) {
  absl::Notification busy;
  absl::Notification release;
  std::vector<int> done;
  WorkPool pool({.threads = 1, .max_queued = 2});
  ASSERT_TRUE(pool.TryRun([&] {
                    busy.Notify();
                    release.WaitForNotification();
                  })
                  .ok());
  busy.WaitForNotification();
  EXPECT_TRUE(pool.TryRun([&] { done.push_back(1); }).ok());
  EXPECT_TRUE(pool.TryRun([&] { done.push_back(2); }).ok());
  EXPECT_EQ(pool.TryRun([&] { done.push_back(3); }).code(), absl::StatusCode::kResourceExhausted);
  pool.Run([&] { done.push_back(4); });
  release.Notify();
  pool.Close();
  EXPECT_EQ(done, (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(pool.TryRun([&] { done.push_back(5); }).code(), absl::StatusCode::kUnavailable);
  pool.Run([&] { done.push_back(6); });
  EXPECT_EQ(done.size(), 3u);
}

TEST(WorkPool, RunsTasksOnAllThreadsAtOnce) {
  WorkPool pool({.threads = 3, .max_queued = 3});
  absl::BlockingCounter all_running(3);
  absl::Notification release;
  for (int i = 0; i < 3; ++i) {
    pool.Run([&] {
      all_running.DecrementCount();
      release.WaitForNotification();
    });
  }
  all_running.Wait();
  release.Notify();
}

TEST(WorkPool, ReportsTasksToTheWatch) {
  test::RecordedWatch watch;
  WorkPool pool({.threads = 1, .watch = watch.Function(), .phase = "request"});
  std::vector<std::string> during_task;
  pool.Run([&] { during_task = watch.Take(); });
  pool.Close();
  EXPECT_THAT(during_task, ::testing::ElementsAre("request"));
  EXPECT_THAT(watch.Take(), ::testing::ElementsAre("end of request"));
}

TEST(WorkPool, ChangesTheNicenessOfItsThreadsOnly) {
  const auto nice_value = [] { return getpriority(PRIO_PROCESS, 0); };  // value of this thread
  const int before = nice_value();
  int inside = 0;
  WorkPool pool({.threads = 1, .max_queued = 1, .niceness = 3});
  pool.Run([&] { inside = nice_value(); });
  pool.Close();
  EXPECT_EQ(inside, std::min(before + 3, 19));
  EXPECT_EQ(nice_value(), before);
}

TEST(RestartProgramDeathTest, RunsTheProgramWithTheGivenArguments) {
  std::string name = "restarted";
  std::string flag = "--gtest_list_tests";  // runs no test, so the program does not restart again
  char* arguments[] = {name.data(), flag.data(), nullptr};
  EXPECT_EXIT(RestartProgram(arguments), testing::ExitedWithCode(0), "");
}

constexpr absl::Time kNow = absl::FromUnixSeconds(1000);

Forecast SearchForecast(absl::Duration end, absl::Duration min_work = absl::Milliseconds(2)) {
  return {.work = min_work, .end = kNow + end, .latest_start = kNow + end};
}

TEST(FirstFreeTime, ReturnsTheTimeAfterAllQueuedWork) {
  const std::vector<absl::Time> busy = {kNow + absl::Milliseconds(30),
                                        kNow + absl::Milliseconds(10)};
  EXPECT_EQ(FirstFreeTime(busy, {}, kNow), kNow + absl::Milliseconds(10));
  // The first task uses one thread from 10 to 50 ms; the second uses the other thread from 30 to 32
  // ms.
  const std::vector<Forecast> queued = {SearchForecast(absl::Milliseconds(50)),
                                        SearchForecast(absl::Milliseconds(20))};
  EXPECT_EQ(FirstFreeTime(busy, std::span(queued).first(1), kNow), kNow + absl::Milliseconds(30));
  EXPECT_EQ(FirstFreeTime(busy, queued, kNow), kNow + absl::Milliseconds(32));
}

TEST(FirstFreeTime, ReturnsNowForIdleAndOverdueThreads) {
  EXPECT_EQ(FirstFreeTime(std::vector{absl::InfinitePast()}, {}, kNow), kNow);
  EXPECT_EQ(FirstFreeTime(std::vector{kNow - absl::Seconds(5)}, {}, kNow), kNow);
}

TEST(CheckStartTime, RefusesALateStartAndSuggestsWhenToRetry) {
  const Forecast search = SearchForecast(absl::Milliseconds(500));
  EXPECT_TRUE(CheckStartTime(search, kNow + absl::Milliseconds(500), kNow, 3).ok());
  const absl::Status late = CheckStartTime(search, kNow + absl::Milliseconds(1200), kNow, 3);
  EXPECT_EQ(late.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(late.message(),
            "busy: 3 requests are waiting; this one would start in about 1.2s, but its budget or "
            "deadline requires a start within 500ms; try again in 700ms");
  EXPECT_EQ(ReasonOf(ToGrpcStatus(late)), "overloaded");
}

TEST(Forecast, TakesNoTimeOnceCancelled) {
  const auto cancel = std::make_shared<CancelFlag>();
  Forecast search = SearchForecast(absl::Hours(1));
  search.cancel = cancel;
  EXPECT_EQ(search.EndIfStarted(kNow), kNow + absl::Hours(1));
  cancel->Cancel();
  EXPECT_EQ(search.EndIfStarted(kNow), kNow);
}

TEST(CheckStartTime, LimitsTheRetryDelayToAMinute) {
  const absl::Status late =
      CheckStartTime(SearchForecast(absl::Seconds(1)), kNow + absl::Hours(5), kNow, 0);
  EXPECT_THAT(std::string(late.message()), testing::EndsWith("; try again in 1m"));
}

TEST(CheckStartTime, AddsTheWaitAfterTheStart) {
  const Forecast greedy{.wait_after_start = absl::Milliseconds(20),
                        .latest_start = kNow + absl::Milliseconds(30)};
  EXPECT_TRUE(CheckStartTime(greedy, kNow + absl::Milliseconds(10), kNow, 0).ok());
  EXPECT_FALSE(CheckStartTime(greedy, kNow + absl::Milliseconds(11), kNow, 0).ok());
}

TEST(WorkPool, IgnoresCancelledTasksInForecasts) {
  absl::Notification busy, release;
  WorkPool pool({.threads = 1, .max_queued = 10});
  const auto cancel = std::make_shared<CancelFlag>();
  const Forecast hour{.end = SteadyNow() + absl::Hours(1), .cancel = cancel};
  const auto hold = [&] {
    busy.Notify();
    release.WaitForNotification();
  };
  ASSERT_TRUE(pool.TryRun(hold, hour).ok());
  busy.WaitForNotification();
  const Forecast late{.latest_start = SteadyNow() - absl::Seconds(1)};
  EXPECT_EQ(pool.TryRun([] {}, late).code(), absl::StatusCode::kResourceExhausted);
  cancel->Cancel();
  EXPECT_TRUE(pool.TryRun([] {}, late).ok());
  release.Notify();
}

TEST(WorkPool, RefusesTasksThatStartTooLateUnlessAThreadIsIdle) {
  absl::Notification busy, release;
  WorkPool pool({.threads = 1, .max_queued = 10});
  const absl::Time now = SteadyNow();
  const Forecast hour{.end = now + absl::Hours(1), .latest_start = now - absl::Hours(1)};
  const auto hold = [&] {
    busy.Notify();
    release.WaitForNotification();
  };
  ASSERT_TRUE(pool.TryRun(hold, hour).ok()) << "too late, but a thread is idle";
  busy.WaitForNotification();
  const Forecast minute{.end = now + absl::Minutes(1), .latest_start = now + absl::Minutes(1)};
  EXPECT_EQ(pool.TryRun([] {}, minute).code(), absl::StatusCode::kResourceExhausted);
  const Forecast later{.work = absl::Minutes(2), .latest_start = now + absl::Minutes(63)};
  EXPECT_TRUE(pool.TryRun([] {}, later).ok());  // starts after 60 minutes
  EXPECT_TRUE(pool.TryRun([] {}, later).ok());  // starts after 62 minutes
  EXPECT_EQ(pool.TryRun([] {}, later).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(pool.TryRun([] {}).ok()) << "without a forecast";
  EXPECT_EQ(pool.waiting(), 3);
  release.Notify();
  pool.Close();
}

TEST(LogRateLimiter, PassesOneLinePerIntervalAndCountsOthers) {
  LogRateLimiter limiter(absl::Seconds(1));
  const absl::Time start = absl::FromUnixSeconds(1000);
  EXPECT_EQ(limiter.Pass(start), 0);
  EXPECT_EQ(limiter.Pass(start + absl::Milliseconds(1)), std::nullopt);
  EXPECT_EQ(limiter.Pass(start + absl::Milliseconds(999)), std::nullopt);
  EXPECT_EQ(limiter.Pass(start + absl::Seconds(1)), 2);
  EXPECT_EQ(limiter.Pass(start + absl::Seconds(3)), 0);
  EXPECT_EQ(limiter.Pass(start), 0) << "the clock was set back";
}

TEST(WorkPool, ReportsAFullQueueWithoutATask) {
  absl::Notification busy;
  absl::Notification release;
  WorkPool pool({.threads = 1, .max_queued = 1});
  EXPECT_TRUE(pool.CheckCapacity().ok());
  ASSERT_TRUE(pool.TryRun([&] {
                    busy.Notify();
                    release.WaitForNotification();
                  })
                  .ok());
  busy.WaitForNotification();
  ASSERT_TRUE(pool.TryRun([] {}).ok());
  EXPECT_EQ(pool.CheckCapacity().code(), absl::StatusCode::kResourceExhausted);
  release.Notify();
  pool.Close();
  EXPECT_EQ(pool.CheckCapacity().code(), absl::StatusCode::kUnavailable);
}

TEST(MessageBudget, RefusesRequestsBeyondItsTotal) {
  MessageBudget budget({.per_message = 60, .total = 100});
  absl::StatusOr<MessageBudget::Share> first = budget.Take(60);
  ASSERT_TRUE(first.ok());
  const absl::Status refused = budget.Take(41).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), testing::HasSubstr("requests in flight use 1 MiB"));
  EXPECT_EQ(budget.taken(), 60) << "a refused request takes nothing";
  {
    MessageBudget::Share moved = *std::move(first);
    EXPECT_EQ(budget.taken(), 60);
    moved = {};
    EXPECT_EQ(budget.taken(), 0);
  }
  EXPECT_TRUE(budget.Take(100).ok());
}

class FakeStream final : public TrackedStream {
 public:
  void OnTick() override {
    if (!ticked.HasBeenNotified()) ticked.Notify();
  }
  void OnClose() override { ++closed; }
  absl::Notification ticked;
  int closed = 0;
};

TEST(StreamTracker, TicksAndClosesOpenStreams) {
  const auto stream = std::make_shared<FakeStream>();
  const auto removed = std::make_shared<FakeStream>();
  StreamTracker tracker({.tick = absl::Milliseconds(1), .max_streams = 2});
  ASSERT_TRUE(tracker.Add(stream).ok());
  const auto number = tracker.Add(removed);
  ASSERT_TRUE(number.ok());
  EXPECT_EQ(tracker.Add(stream).status().code(), absl::StatusCode::kResourceExhausted);
  tracker.Remove(*number);
  stream->ticked.WaitForNotification();
  tracker.Close();
  tracker.Close();
  EXPECT_EQ(stream->closed, 1);
  EXPECT_EQ(removed->closed, 0);
  EXPECT_EQ(tracker.Add(stream).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace vrp
