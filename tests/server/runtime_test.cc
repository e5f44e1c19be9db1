#include <string>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"
#include "server/runtime/stream_hub.h"
#include "server/runtime/work_pool.h"

namespace vrp {
namespace {

TEST(WorkPool, RefusesWhenTheQueueIsFullAndRunsWhatItTook) {
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

TEST(WorkPool, RunsOnAllItsThreadsAtOnce) {
  WorkPool pool({.threads = 3, .max_queued = 3});
  absl::BlockingCounter met(3);
  absl::Notification release;
  for (int i = 0; i < 3; ++i) {
    pool.Run([&] {
      met.DecrementCount();
      release.WaitForNotification();
    });
  }
  met.Wait();
  release.Notify();
}

class Stream final : public HubStream {
 public:
  void OnTick() override {
    if (!ticked.HasBeenNotified()) ticked.Notify();
  }
  void OnClose() override { ++closed; }
  absl::Notification ticked;
  int closed = 0;
};

TEST(StreamHub, TicksAndClosesWhatIsThere) {
  const auto stream = std::make_shared<Stream>();
  const auto removed = std::make_shared<Stream>();
  StreamHub hub({.tick = absl::Milliseconds(1), .max_streams = 2});
  ASSERT_TRUE(hub.Add(stream).ok());
  const auto number = hub.Add(removed);
  ASSERT_TRUE(number.ok());
  EXPECT_EQ(hub.Add(stream).status().code(), absl::StatusCode::kResourceExhausted);
  hub.Remove(*number);
  stream->ticked.WaitForNotification();
  hub.Close();
  hub.Close();
  EXPECT_EQ(stream->closed, 1);
  EXPECT_EQ(removed->closed, 0);
  EXPECT_EQ(hub.Add(stream).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace vrp
