#include "core/model/policy/spread_policy.h"

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "core/problem/generate/generators.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/registry/fake_model.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;

constexpr DeviceId kFirst{DeviceKind::kCuda, 0};
constexpr DeviceId kSecond{DeviceKind::kCuda, 1};

// A policy that writes the device of each of its decodings, and may wait in the middle of one.
class NotingPolicy final : public Policy {
 public:
  NotingPolicy(DeviceId device, std::vector<DeviceId>& used, const std::function<void()>& wait)
      : fake_(device), used_(used), wait_(wait) {}

  const PolicyInfo& info() const override { return fake_.info(); }
  absl::Status Supports(const Instance& instance) const override {
    return fake_.Supports(instance);
  }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    used_.push_back(info().device);
    if (wait_ != nullptr) wait_();
    return fake_.Decode(batch, options);
  }

 private:
  test::FakePolicy fake_;
  std::vector<DeviceId>& used_;
  const std::function<void()>& wait_;
};

class SpreadPolicyTest : public ::testing::Test {
 protected:
  std::unique_ptr<Policy> Load() {
    const PolicyLoader loader = SpreadLoader(
        [this](const std::string&, DeviceId device) -> absl::StatusOr<std::unique_ptr<Policy>> {
          return std::make_unique<NotingPolicy>(device, used_, wait_);
        },
        {kFirst, kSecond}, load_);
    absl::StatusOr<std::unique_ptr<Policy>> policy = loader("folder", DeviceId{});
    EXPECT_TRUE(policy.ok()) << policy.status();
    return *std::move(policy);
  }
  void Decode(Policy& policy) { EXPECT_TRUE(policy.Decode({&instance_, 1}, DecodeOptions()).ok()); }

  const Instance instance_ =
      *GenerateInstance({.kind = ProblemKind::kCvrp, .customers = 5}, /*index=*/0);
  DeviceLoad load_;
  std::vector<DeviceId> used_;
  std::function<void()> wait_;
};

TEST_F(SpreadPolicyTest, DecodesOnTheFirstOfEquallyBusyDevices) {
  const std::unique_ptr<Policy> policy = Load();
  Decode(*policy);
  Decode(*policy);
  EXPECT_THAT(used_, ElementsAre(kFirst, kFirst));
  EXPECT_EQ(policy->info().device, kFirst);
}

TEST_F(SpreadPolicyTest, AvoidsADeviceThatTrains) {
  const std::unique_ptr<Policy> policy = Load();
  {
    const DeviceLoad::Lease training = load_.Begin(kFirst);
    Decode(*policy);
    const DeviceLoad::Lease both = load_.Begin(kSecond);
    Decode(*policy);
  }
  Decode(*policy);
  EXPECT_THAT(used_, ElementsAre(kSecond, kFirst, kFirst));
}

TEST_F(SpreadPolicyTest, AvoidsADeviceThatDecodes) {
  absl::Notification decoding, release;
  wait_ = [&] {
    if (decoding.HasBeenNotified()) return;
    decoding.Notify();
    release.WaitForNotification();
  };
  const std::unique_ptr<Policy> policy = Load();
  std::thread first([&] { Decode(*policy); });
  decoding.WaitForNotification();
  Decode(*policy);
  release.Notify();
  first.join();
  EXPECT_THAT(used_, ElementsAre(kFirst, kSecond));
  EXPECT_EQ(load_.count(kFirst), 0);
  EXPECT_EQ(load_.count(kSecond), 0);
}

TEST_F(SpreadPolicyTest, ReportsTheErrorOfADeviceThatCannotLoad) {
  const PolicyLoader loader = SpreadLoader(
      [](const std::string&, DeviceId device) -> absl::StatusOr<std::unique_ptr<Policy>> {
        if (device == kSecond) return absl::ResourceExhaustedError("the GPU's memory is full");
        return std::make_unique<test::FakePolicy>(device);
      },
      {kFirst, kSecond}, load_);
  EXPECT_TRUE(absl::IsResourceExhausted(loader("folder", kFirst).status()));
}

}  // namespace
}  // namespace vrp
