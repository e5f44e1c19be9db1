// Tests UnitsOf and Override.
#include "core/problem/instance/units.h"

#include "core/problem/formats/formats.h"
#include "core/problem/instance/instance_override.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using ::testing::HasSubstr;

Instance ReadText(std::string_view text) { return ParseJson(text, "test.json").value(); }

// Returns an instance with two customers in longitude and latitude, and the further keys `rest`.
Instance LonLatInstance(const std::string& rest) {
  return ReadText(
      R"({"kind": "vrptw", "coordinates": "lon_lat", "capacity": 9, "demands": [0, 1, 1],
                  "coords": [[8.54, 47.37], [8.55, 47.36], [8.51, 47.40]], )" +
      rest + "}");
}

constexpr char kOfficeHours[] = R"("time_windows": [[0, null], [28800, 36000], [30000, 64800]])";

TEST(Units, AreUnknownForPlanarInstances) {
  const Units units = UnitsOf(test::AnInstance().WithCustomers(3).Build());
  EXPECT_FALSE(units.any());
  EXPECT_EQ(units.cost, CostUnit::kDistance);
}

TEST(Units, AreMetresAndSecondsForLonLat) {
  const Units units = UnitsOf(LonLatInstance(kOfficeHours));
  EXPECT_EQ(units.metres_per_distance, 1);
  EXPECT_EQ(units.seconds_per_time, 1);
  EXPECT_TRUE(units.times_of_day);
  EXPECT_EQ(UnitsOf(LonLatInstance(std::string(R"("metric": "scaled1000", )") + kOfficeHours))
                .metres_per_distance,
            1e-3);
}

TEST(Units, HaveNoUnitOfDistanceWithAMatrix) {
  const Units units = UnitsOf(LonLatInstance(
      std::string(R"("distance_matrix": [[0, 1, 2], [1, 0, 3], [2, 3, 0]], )") + kOfficeHours));
  EXPECT_EQ(units.metres_per_distance, 0);
  EXPECT_EQ(units.seconds_per_time, 1);
}

TEST(Units, AreNoTimesOfDayBeyondTwoDaysOrWithinAnHour) {
  EXPECT_FALSE(
      UnitsOf(LonLatInstance(R"("time_windows": [[0, null], [0, 172801], [0, 9]])")).times_of_day);
  EXPECT_TRUE(
      UnitsOf(LonLatInstance(R"("time_windows": [[0, null], [0, 172800], [0, 9]])")).times_of_day);
  EXPECT_FALSE(
      UnitsOf(LonLatInstance(R"("time_windows": [[0, null], [0, 3600], [0, 9]])")).times_of_day);
}

TEST(Units, AreSecondsInVroomFilesEvenWithAMatrix) {
  const Units units = UnitsOf(ReadText(
      R"({"vehicles": [{"id": 1, "start_index": 0, "time_window": [28800, 64800]}],
          "jobs": [{"id": 1, "location_index": 1}],
          "matrices": {"car": {"durations": [[0, 600], [600, 0]]}}})"));
  EXPECT_EQ(units.seconds_per_time, 1);
  EXPECT_EQ(units.metres_per_distance, 0);
  EXPECT_TRUE(units.times_of_day);
}

TEST(Units, AreIgnoredWhenInstancesAreCompared) {
  InstanceData data = test::AnInstance().WithCustomers(2).Build().data();
  const InstanceData same = data;
  data.units.seconds_per_time = 60;
  EXPECT_EQ(data, same);
}

TEST(Override, ChangesObjectiveAndMetricAndDropsTheReference) {
  const Instance instance = ParseInstance(test::ReadData("E-n22-k4.vrp"), "E-n22-k4").value();
  ASSERT_TRUE(instance.reference_cost().has_value());
  const Instance changed =
      Override(instance, {.objective = Objective::kVehiclesThenDistance, .metric = Metric::kExact})
          .value();
  EXPECT_EQ(changed.data().objective, Objective::kVehiclesThenDistance);
  EXPECT_EQ(changed.metric(), Metric::kExact);
  EXPECT_FALSE(changed.reference_cost().has_value());
  EXPECT_NE(changed.Distance(0, 1), instance.Distance(0, 1));
}

TEST(Override, KeepsTheReferenceIfNothingChanges) {
  const Instance instance = ParseInstance(test::ReadData("E-n22-k4.vrp"), "E-n22-k4").value();
  const Instance same =
      Override(instance, {.objective = Objective::kDistance, .metric = Metric::kRounded}).value();
  EXPECT_EQ(same.reference_cost(), instance.reference_cost());
}

TEST(Override, RefusesAMetricIfAMatrixGivesTheDistances) {
  const Instance instance = ReadText(R"({"kind": "cvrp", "capacity": 2, "demands": [0, 1],
                                     "distance_matrix": [[0, 5], [5, 0]]})");
  const absl::Status status = Override(instance, {.metric = Metric::kDimacs}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("metric: got dimacs"));
  EXPECT_TRUE(Override(instance, {.objective = Objective::kDuration}).ok());
}

TEST(Override, RefusesAChangeOfTheDistanceUnit) {
  const Instance instance = test::AnInstance().WithCustomers(2).Build();
  EXPECT_THAT(std::string(Override(instance, {.metric = Metric::kScaled1000}).status().message()),
              HasSubstr("scaled1000"));
}

}  // namespace
}  // namespace vrp
