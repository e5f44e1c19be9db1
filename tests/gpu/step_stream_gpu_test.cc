// Tests conditional parts of captured work, on a device and on the CPU's fake, which replaces the
// device in other tests.
#include <ATen/ATen.h>

#include <memory>
#include <string>

#include "core/base/status_macros.h"
#include "core/device/step_stream.h"
#include "tests/device/fake_step_stream.h"
#include "tests/gpu/gpu_testing.h"

namespace vrp {
namespace {

// Number of flags. It exceeds the number of threads that read them.
constexpr int64_t kFlags = 3000;

class StepStreamGpuTest : public testing::TestWithParam<DeviceKind> {
 protected:
  void SetUp() override {
    const bool cuda = GetParam() == DeviceKind::kCuda;
    if (cuda && !test::HasGpu()) GTEST_SKIP() << test::kNoGpu;
    stream_ = cuda ? MakeCudaStepStream(test::FirstGpu().id.index, Priority::kTraining)
                   : std::make_unique<test::FakeStepStream>(
                         test::FakeStepStreamOptions{.counts = &counts_});
    const at::Device device = cuda ? at::Device(at::kCUDA, test::FirstGpu().id.index) : at::kCPU;
    flags_ = at::zeros({kFlags}, at::TensorOptions(at::kBool).device(device));
    for (at::Tensor* const one : {&before_, &between_, &after_, &parts_[0], &parts_[1]}) {
      *one = at::zeros({}, at::TensorOptions(at::kLong).device(device));
    }
  }

  void Set(int64_t flag) {
    ASSERT_TRUE(stream_->Wait().ok());
    flags_.zero_();
    if (flag >= 0) flags_[flag] = true;
  }

  StepFlags Flags() const {
    return {.flags = reinterpret_cast<const uint8_t*>(flags_.const_data_ptr<bool>()),
            .count = kFlags};
  }

  absl::Status Part(int number) {
    return stream_->AddConditional(Flags(), [this, number] {
      // Allocates memory, which later parts reuse.
      parts_[number].add_(at::ones({1 << 20}, parts_[number].options()).max());
      if (number == 0 && clears_) flags_.zero_();
      return absl::OkStatus();
    });
  }

  absl::Status Work() {
    before_.add_(1);
    VRP_RETURN_IF_ERROR(Part(0));
    VRP_RETURN_IF_ERROR(Part(1));
    between_.add_(at::full({1 << 20}, 10, between_.options()).max());
    return stream_->AddConditional(Flags(), [this] {
      after_.add_(1);
      return absl::OkStatus();
    });
  }

  // Returns how often each part has run.
  std::string RunCounts() {
    EXPECT_TRUE(stream_->Wait().ok());
    std::string text;
    for (const at::Tensor& one : {before_, parts_[0], parts_[1], between_, after_}) {
      text += std::to_string(one.item<int64_t>()) + " ";
    }
    return text;
  }

  test::StepStreamCounts counts_;
  std::unique_ptr<StepStream> stream_;
  at::Tensor flags_;
  at::Tensor before_;
  at::Tensor between_;
  at::Tensor after_;
  at::Tensor parts_[2];
  bool clears_ = false;  // whether the first part clears the flags
};

TEST_P(StepStreamGpuTest, ReplaysAPartOnlyIfAFlagIsSetWhenTheDeviceReachesIt) {
  const auto work = [this] { return Work(); };
  clears_ = true;
  Set(-1);
  ASSERT_TRUE(stream_->Run(work).ok());
  EXPECT_EQ(RunCounts(), "1 1 1 10 1 ") << "uncaptured work must run completely";
  const auto graph = stream_->Capture(work);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(RunCounts(), "1 1 1 10 1 ") << "capturing must run nothing";
  ASSERT_TRUE((*graph)->Replay().ok());
  EXPECT_EQ(RunCounts(), "2 1 1 20 1 ");
  for (const int64_t flag : {int64_t{0}, kFlags - 1}) {
    Set(flag);
    ASSERT_TRUE((*graph)->Replay().ok());
  }
  EXPECT_EQ(RunCounts(), "4 3 1 40 1 ");
}

TEST_P(StepStreamGpuTest, ReplaysAllPartsWhileAFlagStaysSet) {
  const auto work = [this] { return Work(); };
  Set(kFlags / 2);
  ASSERT_TRUE(stream_->Run(work).ok());
  const auto graph = stream_->Capture(work);
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE((*graph)->Replay().ok());
  EXPECT_EQ(RunCounts(), "4 4 4 40 4 ");
  Set(-1);
  ASSERT_TRUE((*graph)->Replay().ok());
  EXPECT_EQ(RunCounts(), "5 4 4 50 4 ");
}

INSTANTIATE_TEST_SUITE_P(, StepStreamGpuTest, testing::Values(DeviceKind::kCpu, DeviceKind::kCuda),
                         [](const auto& one) {
                           return one.param == DeviceKind::kCpu ? "cpu" : "cuda";
                         });

}  // namespace
}  // namespace vrp
