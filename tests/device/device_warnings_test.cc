#include "core/device/device_warnings.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

// Must run before the other tests, one of which reaches the limit of distinct texts.
TEST(WarnOfDevice, WritesToStandardErrorWithoutAListener) {
  testing::internal::CaptureStderr();
  WarnOfDevice("nobody listens");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "nobody listens\n");
}

TEST(WarnOfDevice, ReportsEachTextOnce) {
  std::vector<std::string> told;
  SetDeviceWarningListener([&](std::string_view text) { told.emplace_back(text); });
  for (int i = 0; i < 3; ++i) {
    WarnOfDevice("weights lie otherwise");
    WarnOfDevice("little memory");
  }
  EXPECT_THAT(told, testing::ElementsAre("weights lie otherwise", "little memory"));
  SetDeviceWarningListener(nullptr);
}

TEST(WarnOfDevice, DropsTextsBeyondTheLimit) {
  int told = 0;
  SetDeviceWarningListener([&](std::string_view) { ++told; });
  for (int i = 0; i < 2 * kMaxDeviceWarnings; ++i) WarnOfDevice(absl::StrCat("warning ", i));
  EXPECT_LE(told, kMaxDeviceWarnings);
  EXPECT_GT(told, kMaxDeviceWarnings - 10);
  SetDeviceWarningListener(nullptr);
}

}  // namespace
}  // namespace vrp
