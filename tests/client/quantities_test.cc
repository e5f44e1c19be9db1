// Tests the formatting of a plan's numbers.
#include "client/output/quantities.h"

#include <cmath>

#include "gtest/gtest.h"

namespace vrp::client {
namespace {

v1::Units Units(double metres, double seconds, bool times_of_day = false) {
  v1::Units units;
  units.set_metres_per_distance_unit(metres);
  units.set_seconds_per_time_unit(seconds);
  units.set_times_of_day(times_of_day);
  return units;
}

TEST(Quantities, HaveAtMostThreeDecimalsOrThreeDigitsBelowATenth) {
  EXPECT_EQ(FormatQuantity(375), "375");
  EXPECT_EQ(FormatQuantity(113.00000001), "113");
  EXPECT_EQ(FormatQuantity(27591.25), "27591.25");
  EXPECT_EQ(FormatQuantity(0.123456), "0.123");
  EXPECT_EQ(FormatQuantity(0.00123456), "0.00123");
  EXPECT_EQ(FormatQuantity(-0.0000001), "-0.0000001");
  EXPECT_EQ(FormatQuantity(1e-12), "0");
  EXPECT_EQ(FormatQuantity(100), "100");
  EXPECT_EQ(FormatQuantity(0), "0");
  EXPECT_EQ(FormatQuantity(NAN), "-");
}

TEST(Quantities, AreNumbersWithoutAUnit) {
  const Quantities unitless{v1::Units()};
  EXPECT_EQ(unitless.Distance(1234.5678), "1234.568");
  EXPECT_EQ(unitless.Duration(90), "90");
  EXPECT_EQ(unitless.Time(90), "90");
  EXPECT_EQ(unitless.Cost(90.5), "90.5");
}

TEST(Quantities, ShowDistancesInMetresAndKilometres) {
  const Quantities metres{Units(1, 0)};
  EXPECT_EQ(metres.Distance(0), "0 m");
  EXPECT_EQ(metres.Distance(850.4), "850 m");
  EXPECT_EQ(metres.Distance(12345), "12.35 km");
  EXPECT_EQ(metres.Distance(123456), "123.5 km");
  EXPECT_EQ(Quantities{Units(1000, 0)}.Distance(2), "2.00 km");
}

TEST(Quantities, ShowTimesInHoursAndMinutes) {
  const Quantities seconds{Units(0, 1)};
  EXPECT_EQ(seconds.Duration(45), "45 s");
  EXPECT_EQ(seconds.Duration(6789), "1:53 h");
  EXPECT_EQ(Quantities{Units(0, 60)}.Duration(90), "1:30 h");
  EXPECT_EQ(seconds.Time(6789), "1:53 h") << "these times are not times of day";
  const Quantities of_day{Units(0, 1, true)};
  EXPECT_EQ(of_day.Time(8 * 3600 + 15 * 60), "8:15");
  EXPECT_EQ(of_day.Time(24 * 3600 + 30 * 60), "0:30 +1 day");
}

TEST(Quantities, ShowCostsInTheUnitOfTheObjective) {
  v1::Units units = Units(1, 1);
  EXPECT_EQ(Quantities{units}.Cost(7200), "7200");
  units.set_cost(v1::COST_UNIT_DISTANCE);
  EXPECT_EQ(Quantities{units}.Cost(7200), "7.20 km");
  units.set_cost(v1::COST_UNIT_TIME);
  EXPECT_EQ(Quantities{units}.Cost(7200), "2:00 h");
}

}  // namespace
}  // namespace vrp::client
