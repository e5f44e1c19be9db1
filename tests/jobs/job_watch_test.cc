#include <atomic>
#include <thread>

#include "absl/synchronization/notification.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class JobWatchTest : public test::JobManagerFixture {};

TEST_F(JobWatchTest, WatchesFromAnySequenceNumberToTheEnd) {
  Open();
  const std::string id = SubmitHeld();
  const auto from_third = *jobs_->Watch(id, 3);
  trainer_->Release();
  const std::vector<JobEvent> all = test::ReadToEnd(*jobs_, id);
  const std::vector<JobEvent> remaining =
      test::ReadUntil(*from_third, [](const JobEvent&) { return false; });
  ASSERT_EQ(remaining.size(), all.size() - 2);
  EXPECT_EQ(remaining.front().sequence, 3);
  EXPECT_TRUE(from_third->AtEnd());
  for (int64_t from = 0; from <= static_cast<int64_t>(all.size()) + 1; ++from) {
    const auto events = *jobs_->Watch(id, from);
    const auto next = *events->Next(1000);
    EXPECT_EQ(next.size(), all.size() + 1 - std::max<int64_t>(from, 1));
    EXPECT_TRUE(events->AtEnd());
    EXPECT_THAT(*events->Next(1000), IsEmpty());
  }
}

TEST_F(JobWatchTest, RefusesAWatchBeyondTheNextEvent) {
  Open();
  const std::string id = Submit();
  const int64_t last = test::AwaitEnd(*jobs_, id).last_sequence;
  EXPECT_TRUE(jobs_->Watch(id, last + 1).ok());
  const absl::Status beyond = jobs_->Watch(id, last + 2).status();
  EXPECT_TRUE(absl::IsOutOfRange(beyond)) << beyond;
  EXPECT_THAT(std::string(beyond.message()), HasSubstr(Concat("wanted at most ", last + 1)));
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->Watch(id, -1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument((*jobs_->Watch(id, 1))->Next(0).status()));
}

TEST_F(JobWatchTest, ShowsAllWatchersTheSameEvents) {
  Open();
  const std::string id = SubmitHeld();
  constexpr int kWatchers = 4;
  std::vector<std::vector<JobEvent>> seen(kWatchers);
  std::vector<std::thread> threads;
  for (auto& events : seen) threads.emplace_back([&] { events = test::ReadToEnd(*jobs_, id); });
  clock_.Advance(absl::Seconds(1));
  trainer_->Release();
  for (std::thread& thread : threads) thread.join();
  for (const auto& events : seen) {
    test::ExpectConsistentLog(events);
    EXPECT_EQ(test::Describe(events), test::Describe(seen.front()));
    EXPECT_EQ(events.back().state, JobState::kSucceeded);
  }
}

TEST_F(JobWatchTest, WakesEachConnectedWatcherOnce) {
  Open();
  SubmitHeld();
  const std::string id = Submit();
  std::vector<std::shared_ptr<EventSubscription>> watchers;
  std::atomic<int> calls = 0;
  for (int i = 0; i < 1000; ++i) {
    watchers.push_back(*jobs_->Watch(id, 2));
    watchers.back()->NotifyWhenReady([&calls] { ++calls; });
  }
  watchers.resize(900);  // a hundred watchers disconnect
  EXPECT_EQ(calls, 0);
  ASSERT_TRUE(jobs_->Cancel(id).ok());
  EXPECT_EQ(calls, 900);
}

TEST_F(JobWatchTest, LetsAWatcherCallTheManagerFromItsCallback) {
  Open();
  SubmitHeld();
  const std::string id = Submit();
  const auto watcher = *jobs_->Watch(id, 2);
  absl::Notification done;
  watcher->NotifyWhenReady([&] {
    EXPECT_EQ(jobs_->Get(id)->state, JobState::kCancelled);
    EXPECT_TRUE(jobs_->Cancel(id).ok());
    EXPECT_EQ(watcher->Next(10)->size(), 1u);
    done.Notify();
  });
  ASSERT_TRUE(jobs_->Cancel(id).ok());
  EXPECT_TRUE(done.HasBeenNotified());
}

}  // namespace
}  // namespace vrp
