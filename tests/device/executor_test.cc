#include "core/device/executor.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(DeviceExecutorTest, RunsCpuWorkInlineInTheCallersThread) {
  DeviceExecutors executors(DeviceShares{});
  std::thread::id seen;
  auto result = executors.Get(DeviceId{}).Run(Priority::kTraining, [&] {
    seen = std::this_thread::get_id();
    return absl::OkStatus();
  });
  EXPECT_EQ(seen, std::this_thread::get_id());
  EXPECT_TRUE(result.get().ok());
}

TEST(DeviceExecutorTest, RunsAllCudaWorkOnOneThread) {
  const auto executor = MakeThreadedExecutor(nullptr);
  std::thread::id first;
  std::thread::id second;
  auto record = [](std::thread::id* thread) {
    *thread = std::this_thread::get_id();
    return absl::OkStatus();
  };
  EXPECT_TRUE(executor->Run(Priority::kTraining, [&] { return record(&first); }).get().ok());
  EXPECT_TRUE(executor->Run(Priority::kSolving, [&] { return record(&second); }).get().ok());
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(DeviceExecutorTest, RunsSolvingBeforeWaitingTraining) {
  const auto executor = MakeThreadedExecutor(nullptr);
  absl::Notification release;
  std::string order;
  auto blocker = executor->Run(Priority::kTraining, [&] {
    release.WaitForNotification();
    return absl::OkStatus();
  });
  auto append = [&order](char letter) {
    order += letter;
    return absl::OkStatus();
  };
  auto train1 = executor->Run(Priority::kTraining, [&] { return append('t'); });
  auto train2 = executor->Run(Priority::kTraining, [&] { return append('u'); });
  auto solve = executor->Run(Priority::kSolving, [&] { return append('s'); });
  release.Notify();
  EXPECT_TRUE(train2.get().ok());
  EXPECT_EQ(order, "stu");
}

TEST(DeviceExecutorTest, ReturnsTheStatusOfItsWork) {
  const auto executor = MakeThreadedExecutor(nullptr);
  auto result = executor->Run(Priority::kSolving, [] { return absl::DataLossError("gone"); });
  EXPECT_EQ(result.get(), absl::DataLossError("gone"));
}

TEST(DeviceExecutorTest, RunsNestedWorkInline) {
  const auto executor = MakeThreadedExecutor(nullptr);
  auto result = executor->Run(Priority::kTraining, [&] {
    return executor->Run(Priority::kTraining, [] { return absl::DataLossError("inner"); }).get();
  });
  EXPECT_EQ(result.get(), absl::DataLossError("inner"));
}

TEST(DeviceExecutorTest, CancelsWaitingWorkAtShutdown) {
  const auto executor = MakeThreadedExecutor(nullptr);
  absl::Notification started;
  absl::Notification release;
  auto running = executor->Run(Priority::kTraining, [&] {
    started.Notify();
    release.WaitForNotification();
    return absl::OkStatus();
  });
  started.WaitForNotification();
  auto waiting = executor->Run(Priority::kTraining, [] { return absl::OkStatus(); });
  std::thread closer([&] { executor->Shutdown(); });
  // Refused work is the only visible sign of the shutdown.
  while (executor->Run(Priority::kSolving, [] { return absl::OkStatus(); })
             .wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    std::this_thread::yield();
  }
  release.Notify();
  EXPECT_TRUE(running.get().ok());
  EXPECT_EQ(waiting.get().code(), absl::StatusCode::kCancelled);
  closer.join();
}

// Hooks that record their calls, one letter each.
class RecordingHooks final : public DeviceHooks {
 public:
  explicit RecordingHooks(std::string* calls) : calls_(calls) {}
  void Begin(Priority priority) override { *calls_ += priority == Priority::kSolving ? 'S' : 'T'; }
  void ReleaseCachedMemory() override { *calls_ += 'm'; }

 private:
  std::string* const calls_;
};

TEST(DeviceExecutorTest, CallsBeginWhenThePriorityChanges) {
  std::string calls;
  const auto executor = MakeThreadedExecutor(std::make_unique<RecordingHooks>(&calls));
  const auto run = [&](Priority priority) {
    const auto work = [&] {
      calls += '.';
      return absl::OkStatus();
    };
    EXPECT_TRUE(executor->Run(priority, work).get().ok());
  };
  run(Priority::kTraining);
  run(Priority::kTraining);
  run(Priority::kSolving);
  run(Priority::kTraining);
  EXPECT_EQ(calls, "T..S.T.");
}

TEST(DeviceExecutorTest, ReleasesMemoryBeforeTheNextTask) {
  std::string calls;
  const auto executor = MakeThreadedExecutor(std::make_unique<RecordingHooks>(&calls));
  executor->ReleaseCachedMemory();
  const auto work = [&] {
    calls += '.';
    return absl::OkStatus();
  };
  EXPECT_TRUE(executor->Run(Priority::kTraining, work).get().ok());
  EXPECT_EQ(calls, "mT.");
}

TEST(DeviceExecutorTest, RethrowsExceptionsOfItsWork) {
  const auto executor = MakeThreadedExecutor(nullptr);
  auto thrown = executor->Run(Priority::kSolving,
                              []() -> absl::Status { throw std::runtime_error("device"); });
  EXPECT_THROW(thrown.get(), std::runtime_error);
  EXPECT_TRUE(executor->Run(Priority::kSolving, [] { return absl::OkStatus(); }).get().ok());
}

TEST(DeviceExecutorsTest, CreateOneExecutorPerDevice) {
  DeviceExecutors executors(DeviceShares{});
  const DeviceId cpu;
  EXPECT_EQ(&executors.Get(cpu), &executors.Get(cpu));
  EXPECT_NE(&executors.Get(cpu), &executors.Get({DeviceKind::kCuda, 0}));
  EXPECT_NE(&executors.Get({DeviceKind::kCuda, 1}), &executors.Get({DeviceKind::kCuda, 0}));
}

TEST(DeviceExecutorTest, RejectsWorkAfterShutdown) {
  std::unique_ptr<DeviceExecutor> both[] = {MakeInlineExecutor(), MakeThreadedExecutor(nullptr)};
  for (const std::unique_ptr<DeviceExecutor>& executor : both) {
    executor->Shutdown();
    executor->Shutdown();
    auto result = executor->Run(Priority::kSolving, [] { return absl::OkStatus(); });
    EXPECT_EQ(result.get().code(), absl::StatusCode::kCancelled);
  }
}

}  // namespace
}  // namespace vrp
