#include "client/support/text.h"

#include "gtest/gtest.h"

namespace vrp::client {
namespace {

TEST(Utf8, IsRecognised) {
  EXPECT_TRUE(IsValidUtf8("plain \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x9A\x9A"));
  for (const char* text :
       {"\xFF", "\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"}) {
    EXPECT_FALSE(IsValidUtf8(text));
  }
}

TEST(Utf8, ReplacesInvalidBytesOnly) {
  EXPECT_EQ(ToValidUtf8("a\xFFz\xC3\xA9"), "a?z\xC3\xA9");
  EXPECT_EQ(ToValidUtf8("cut\xE2\x82"), "cut??");
}

TEST(Numbers, ShowNoSuperfluousDecimals) {
  EXPECT_EQ(FormatNumber(375), "375");
  EXPECT_EQ(FormatNumber(27591.5), "27591.5");
  EXPECT_EQ(FormatNumber(0.12345), "0.1235");
  EXPECT_EQ(FormatNumber(-0.00001), "0");
}

TEST(Numbers, ShowGapsInPercentWithSignAndReference) {
  EXPECT_EQ(FormatGap(0.0125, "search 1 s"), "+1.25 % vs search 1 s");
  EXPECT_EQ(FormatGap(-0.041, "nearest neighbour"), "-4.10 % vs nearest neighbour");
  EXPECT_EQ(FormatGap(0, ""), "+0.00 % vs reference");
}

TEST(Numbers, ShowSecondsWithThreeDigits) {
  EXPECT_EQ(FormatSeconds(0.05214), "0.0521");
  EXPECT_EQ(FormatSeconds(12.34), "12.3");
  EXPECT_EQ(FormatSeconds(1234.4), "1234");
}

TEST(Numbers, AbbreviateRates) {
  EXPECT_EQ(FormatRate(87), "87");
  EXPECT_EQ(FormatRate(9999), "9999");
  EXPECT_EQ(FormatRate(12345), "12.3k");
  EXPECT_EQ(FormatRate(1'250'000), "1.2M");
}

TEST(Numbers, ShowBytesInTheUnitThatFits) {
  EXPECT_EQ(FormatBytes(0), "0 MiB");
  EXPECT_EQ(FormatBytes(1), "1 KiB");
  EXPECT_EQ(FormatBytes(419'840), "410 KiB");
  EXPECT_EQ(FormatBytes(1 << 20), "1 MiB");
  EXPECT_EQ(FormatBytes(int64_t{10} << 30), "10 GiB");
}

TEST(Spans, HaveAtMostTwoUnits) {
  EXPECT_EQ(FormatSpan(absl::Milliseconds(400)), "0s");
  EXPECT_EQ(FormatSpan(absl::Seconds(59)), "59s");
  EXPECT_EQ(FormatSpan(absl::Seconds(80)), "1m20s");
  EXPECT_EQ(FormatSpan(absl::Minutes(125)), "2h05m");
}

TEST(Times, AreRfc3339) {
  google::protobuf::Timestamp time;
  time.set_seconds(1'800'000'000);
  time.set_nanos(250'000'000);
  EXPECT_EQ(FormatTime(time), "2027-01-15T08:00:00.250Z");
}

TEST(Durations, RoundTripThroughProto) {
  for (const absl::Duration duration :
       {absl::Milliseconds(1), absl::Milliseconds(1500), absl::Hours(1)}) {
    EXPECT_EQ(ToDuration(ToProtoDuration(duration)), duration);
  }
}

}  // namespace
}  // namespace vrp::client
