#include "core/device/device_loss.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::HasSubstr;

TEST(IsStickyCudaError, IsTrueForStickyErrorsOnly) {
  // The codes are cudaErrorIllegalAddress, LaunchTimeout, Assert, LaunchFailure, ECCUncorrectable
  // and Contained.
  for (const int32_t error : {700, 702, 710, 719, 214, 226})
    EXPECT_TRUE(IsStickyCudaError(error)) << error;
  // The codes are cudaSuccess, InvalidValue, MemoryAllocation, InvalidConfiguration,
  // DevicesUnavailable and NotReady.
  for (const int32_t error : {0, 1, 2, 9, 46, 600}) EXPECT_FALSE(IsStickyCudaError(error)) << error;
}

TEST(ReportDeviceLoss, AsksToRetryAndNamesTheCause) {
  const absl::Status lost = ReportDeviceLoss(absl::InternalError("an illegal memory access"));
  EXPECT_TRUE(absl::IsUnavailable(lost));
  EXPECT_THAT(std::string(lost.message()), HasSubstr("until the daemon has restarted itself"));
  EXPECT_THAT(std::string(lost.message()), HasSubstr("an illegal memory access"));
  EXPECT_TRUE(IsDeviceLost(lost));
  EXPECT_FALSE(IsDeviceLost(absl::UnavailableError(lost.message())));
  EXPECT_FALSE(IsDeviceLost(absl::OkStatus()));
}

TEST(ReportDeviceLoss, NotifiesTheListenerOnce) {
  std::vector<std::string> reported;
  SetDeviceLossListener(
      [&](const absl::Status& status) { reported.emplace_back(status.message()); });
  const absl::Status first = ReportDeviceLoss(absl::InternalError("first"));
  EXPECT_TRUE(IsDeviceLost(ReportDeviceLoss(absl::InternalError("second"))));
  EXPECT_THAT(reported, testing::ElementsAre(std::string(first.message())));
  SetDeviceLossListener(nullptr);
}

}  // namespace
}  // namespace vrp
