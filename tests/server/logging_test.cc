// Tests the log as text and as JSON.
#include "server/support/logging.h"

#include <string>

#include "absl/strings/str_split.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/service/request_id.h"

namespace vrp {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// Returns the lines that `write` writes to stderr.
template <typename Write>
std::vector<std::string> LogLines(const LogOptions& options, Write write) {
  testing::internal::CaptureStderr();
  StartLogging(options);
  write();
  std::vector<std::string> lines =
      absl::StrSplit(testing::internal::GetCapturedStderr(), '\n', absl::SkipEmpty());
  return lines;
}

constexpr char kUnsafeText[] = "a\n2026-01-01 error b\t\"c\" \x1b[31m \xff";

void WriteRequest() {
  LogDebug("request", {{.name = "peer", .value = kUnsafeText},
                       {.name = "duration_ms", .value = "1.500", .number = true}});
}

TEST(Log, WritesTextByDefault) {
  const auto lines = LogLines({}, [] { LogInfo("started"); });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], EndsWith(" info started"));
}

TEST(Log, WritesJsonObjects) {
  const auto lines = LogLines({.level = "debug", .json = true}, [] {
    WriteRequest();
    LogWarning(kUnsafeText);
  });
  ASSERT_EQ(lines.size(), 2u);
  const auto request = nlohmann::ordered_json::parse(lines[0]);
  EXPECT_EQ(request["level"], "debug");
  EXPECT_EQ(request["message"], "request");
  EXPECT_EQ(request["duration_ms"], 1.5);
  EXPECT_THAT(request["peer"].get<std::string>(), HasSubstr("a\n2026-01-01 error b"));
  EXPECT_THAT(request["time"].get<std::string>(), testing::StartsWith("20"));
  EXPECT_EQ(nlohmann::ordered_json::parse(lines[1])["level"], "warning");
}

TEST(Log, EscapesSpecialCharacters) {
  const auto lines = LogLines({.level = "debug"}, [] {
    WriteRequest();
    LogWarning(kUnsafeText);
  });
  ASSERT_EQ(lines.size(), 2u);
  for (const std::string& line : lines) {
    EXPECT_TRUE(IsPrintableUtf8(line)) << line;
  }
  EXPECT_THAT(lines[0], HasSubstr("request peer=\"a"));
  EXPECT_THAT(lines[0], EndsWith("duration_ms=1.500"));
}

TEST(Log, QuotesValuesAndTruncatesLongOnes) {
  const auto lines = LogLines({}, [] {
    LogWarning("event", {{.name = "error", .value = "the key \"a\" is unknown"},
                         {.name = "long", .value = std::string(5000, 'x')}});
  });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr(R"(event error="the key \"a\" is unknown" long=xxx)"));
  EXPECT_THAT(lines[0], EndsWith("x..."));
  EXPECT_LT(lines[0].size(), 1200u);
}

TEST(Log, ChangesItsLevelAtRunTime) {
  const auto lines = LogLines({.level = "info"}, [] {
    WriteRequest();
    EXPECT_EQ(CurrentLogLevel(), "info");
    EXPECT_FALSE(LogsDebug());
    SetLogLevel("debug");
    EXPECT_TRUE(LogsDebug());
    WriteRequest();
    SetLogLevel("warn");
    EXPECT_EQ(CurrentLogLevel(), "warn");
    LogInfo("not this");
  });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], Not(HasSubstr("not this")));
}

TEST(RequestId, KeepsAValidIdOfTheCaller) {
  EXPECT_EQ(RequestIdFrom("checkout-42_a.B"), "checkout-42_a.B");
  EXPECT_EQ(RequestIdFrom(std::string(64, 'x')), std::string(64, 'x'));
  for (const std::string& invalid :
       {std::string(), std::string(65, 'x'), std::string("a b"), std::string("a\nb"),
        std::string("\"a\""), std::string("a\xff")}) {
    const std::string generated = RequestIdFrom(invalid);
    EXPECT_EQ(generated.size(), 16u) << invalid;
    EXPECT_NE(generated, RequestIdFrom(invalid)) << "each request has its own id";
  }
}

}  // namespace
}  // namespace vrp
