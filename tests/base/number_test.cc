#include "core/base/number.h"

#include <limits>

#include "core/base/random.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(NumberTest, ShortestFormReadsBackToTheSameDouble) {
  EXPECT_EQ(FormatNumber(375), "375");
  EXPECT_EQ(FormatNumber(0.1), "0.1");
  EXPECT_EQ(FormatNumber(-827.3), "-827.3");
  CounterRandom random(1);
  for (int i = 0; i < 1000; ++i) {
    const double value = (random.UniformDouble() - 0.5) * 1e6;
    EXPECT_EQ(ParseNumber(FormatNumber(value)), value);
  }
}

TEST(NumberTest, ParsesOnlyDecimals) {
  EXPECT_EQ(ParseNumber("2.5650000000e+02"), 256.5);
  EXPECT_EQ(ParseNumber("+3"), 3.0);
  EXPECT_EQ(ParseNumber("-.5"), -0.5);
  for (const char* bad : {"", "nan", "inf", "-inf", "1e999", "0x10", "1,5", "5a", " 5", "+-5",
                          "--5", "+", "-", "e5"}) {
    EXPECT_EQ(ParseNumber(bad), std::nullopt) << bad;
  }
}

TEST(NumberTest, ParsesIntegersWithinRange) {
  EXPECT_EQ(ParseInteger("-42"), -42);
  EXPECT_EQ(ParseInteger("9223372036854775807"), std::numeric_limits<int64_t>::max());
  for (const char* bad : {"", "1.0", "9223372036854775808", "1e3", "x"}) {
    EXPECT_EQ(ParseInteger(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace vrp
