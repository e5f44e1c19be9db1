#include "core/device/device_warnings.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

// This test must run before the others, one of which reaches the limit of distinct texts.
TEST(ReportDeviceWarning, WritesToStandardErrorWithoutAListener) {
  testing::internal::CaptureStderr();
  ReportDeviceWarning("no listener");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "no listener\n");
}

TEST(ReportDeviceWarning, ReportsEachTextOnce) {
  std::vector<std::string> reported;
  SetDeviceWarningListener([&](std::string_view text) { reported.emplace_back(text); });
  for (int i = 0; i < 3; ++i) {
    ReportDeviceWarning("weights are misaligned");
    ReportDeviceWarning("little memory");
  }
  EXPECT_THAT(reported, testing::ElementsAre("weights are misaligned", "little memory"));
  SetDeviceWarningListener(nullptr);
}

TEST(ReportDeviceWarning, DropsTextsBeyondTheLimit) {
  int reported = 0;
  SetDeviceWarningListener([&](std::string_view) { ++reported; });
  for (int i = 0; i < 2 * kMaxDeviceWarnings; ++i) ReportDeviceWarning(absl::StrCat("warning ", i));
  EXPECT_LE(reported, kMaxDeviceWarnings);
  EXPECT_GT(reported, kMaxDeviceWarnings - 10);
  SetDeviceWarningListener(nullptr);
}

}  // namespace
}  // namespace vrp
