#include "core/device/executor.h"

#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(DeviceExecutorTest, RunsCpuWorkInlineInTheCallersThread) {
  const auto executor = MakeDeviceExecutor(DeviceId{});
  std::thread::id seen;
  auto result = executor->Run(Priority::kTraining, [&] {
    seen = std::this_thread::get_id();
    return absl::OkStatus();
  });
  EXPECT_EQ(seen, std::this_thread::get_id());
  EXPECT_TRUE(result.get().ok());
}

TEST(DeviceExecutorTest, GivesEveryPieceOfCudaWorkToOneThread) {
  const auto executor = MakeDeviceExecutor(DeviceId{DeviceKind::kCuda, 0});
  std::thread::id first;
  std::thread::id second;
  auto note = [](std::thread::id* where) {
    *where = std::this_thread::get_id();
    return absl::OkStatus();
  };
  EXPECT_TRUE(executor->Run(Priority::kTraining, [&] { return note(&first); }).get().ok());
  EXPECT_TRUE(executor->Run(Priority::kSolving, [&] { return note(&second); }).get().ok());
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(DeviceExecutorTest, PutsSolvingBeforeTrainingThatWaits) {
  const auto executor = MakeThreadedExecutor();
  absl::Notification go;
  std::string order;
  auto blocker = executor->Run(Priority::kTraining, [&] {
    go.WaitForNotification();
    return absl::OkStatus();
  });
  auto append = [&order](char letter) {
    order += letter;
    return absl::OkStatus();
  };
  auto train1 = executor->Run(Priority::kTraining, [&] { return append('t'); });
  auto train2 = executor->Run(Priority::kTraining, [&] { return append('u'); });
  auto solve = executor->Run(Priority::kSolving, [&] { return append('s'); });
  go.Notify();
  EXPECT_TRUE(train2.get().ok());
  EXPECT_EQ(order, "stu");
}

TEST(DeviceExecutorTest, HandsOnTheStatusOfItsWork) {
  const auto executor = MakeThreadedExecutor();
  auto result = executor->Run(Priority::kSolving, [] { return absl::DataLossError("gone"); });
  EXPECT_EQ(result.get(), absl::DataLossError("gone"));
}

TEST(DeviceExecutorTest, RunsNestedWorkInline) {
  const auto executor = MakeThreadedExecutor();
  auto result = executor->Run(Priority::kTraining, [&] {
    return executor->Run(Priority::kTraining, [] { return absl::DataLossError("inner"); }).get();
  });
  EXPECT_EQ(result.get(), absl::DataLossError("inner"));
}

TEST(DeviceExecutorTest, AnswersWhatWaitsWithCancelledAtShutdown) {
  const auto executor = MakeThreadedExecutor();
  absl::Notification started;
  absl::Notification go;
  auto running = executor->Run(Priority::kTraining, [&] {
    started.Notify();
    go.WaitForNotification();
    return absl::OkStatus();
  });
  started.WaitForNotification();
  auto waiting = executor->Run(Priority::kTraining, [] { return absl::OkStatus(); });
  std::thread closer([&] { executor->Shutdown(); });
  // Refused work is how closing is seen from outside.
  while (executor->Run(Priority::kSolving, [] { return absl::OkStatus(); })
             .wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    std::this_thread::yield();
  }
  go.Notify();
  EXPECT_TRUE(running.get().ok());
  EXPECT_EQ(waiting.get().code(), absl::StatusCode::kCancelled);
  closer.join();
}

class ExecutorAfterShutdownTest : public testing::TestWithParam<DeviceKind> {};

TEST_P(ExecutorAfterShutdownTest, RefusesWork) {
  const auto executor = MakeDeviceExecutor(DeviceId{GetParam(), 0});
  executor->Shutdown();
  executor->Shutdown();
  auto result = executor->Run(Priority::kSolving, [] { return absl::OkStatus(); });
  EXPECT_EQ(result.get().code(), absl::StatusCode::kCancelled);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExecutorAfterShutdownTest,
                         testing::Values(DeviceKind::kCpu, DeviceKind::kCuda));

}  // namespace
}  // namespace vrp
