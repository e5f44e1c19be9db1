// Tests how instances get the matrices of road networks.
#include "server/roads/road_input.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/convert/field_violation.h"
#include "tests/server/fake_roads.h"
#include "tests/server/messages.h"

namespace vrp {
namespace {

using test::FakeRoads;
using test::LonLat;
using testing::ElementsAre;
using testing::HasSubstr;

class RoadInputTest : public testing::Test {
 protected:
  template <typename Message>
  absl::StatusOr<RoadInput> Read(const Message& message) {
    return InputWithRoads(message, {.roads = &roads_});
  }
  template <typename Message>
  std::string ErrorOf(const Message& message,
                      absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
    const auto input = Read(message);
    EXPECT_EQ(input.status().code(), code) << input.status();
    return std::string(input.status().message());
  }

  FakeRoads roads_;
};

TEST_F(RoadInputTest, FillsTheMatricesOfAnInstance) {
  v1::Instance message = LonLat();
  message.set_road_network("car");
  const auto input = Read(message);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->instance.Duration(0, 3), 30);
  EXPECT_EQ(input->instance.Distance(1, 3), 200);
  EXPECT_TRUE(input->instance.has_positions());
  EXPECT_THAT(input->roads.networks, ElementsAre("car"));
}

TEST_F(RoadInputTest, AsksForNothingWithoutARoadNetwork) {
  const auto input = Read(LonLat());
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(roads_.calls, 0);
  EXPECT_FALSE(input->roads.any());
}

TEST_F(RoadInputTest, GivesVehicleTypesTheirOwnNetworks) {
  v1::Instance message = LonLat();
  message.set_road_network("car");
  for (const char* network : {"bike", "", "bike", "car"}) {
    message.add_vehicles()->set_road_network(network);
  }
  const auto input = Read(message);
  ASSERT_TRUE(input.ok()) << input.status();
  const auto vehicles = input->instance.vehicles();
  EXPECT_EQ(input->instance.Duration(vehicles[0], 0, 1), 10);
  EXPECT_EQ(input->instance.Duration(vehicles[1], 0, 1), 20);
  EXPECT_TRUE(vehicles[4].distance_matrix.empty()) << "the type uses the instance's matrix";
  EXPECT_THAT(input->roads.networks, ElementsAre("car", "bike", "car", "bike", "car"));
  EXPECT_EQ(roads_.calls, 2);
}

TEST_F(RoadInputTest, AsksOnceForEachPlace) {
  v1::Instance message = LonLat();
  *message.add_customers() = message.customers(1);
  message.set_road_network("car");
  const auto input = Read(message);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(roads_.last_places.size(), 4u);
  EXPECT_EQ(input->instance.Distance(2, 4), 0);
  EXPECT_EQ(input->instance.Distance(0, 4), 200);
}

TEST_F(RoadInputTest, SharesRowsAboveTheLimitOfNodes) {
  v1::Instance message = LonLat(3);
  for (int i = 3; i < kMaxMatrixNodes; ++i) *message.add_customers() = message.customers(i % 3);
  message.set_road_network("car");
  const auto input = Read(message);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->instance.data().distance_matrix.size(), 16u);
  EXPECT_EQ(input->instance.Distance(0, kMaxMatrixNodes), 100.0 * ((kMaxMatrixNodes - 1) % 3 + 1));
}

TEST_F(RoadInputTest, ConvertsToTheStatedUnitsAndRoundsByTheMetric) {
  v1::Instance message = LonLat();
  message.set_road_network("car");
  message.set_time_unit("min");
  message.set_distance_unit("km");
  const auto input = Read(message);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_DOUBLE_EQ(input->instance.Duration(0, 3), 0.5);
  EXPECT_DOUBLE_EQ(input->instance.Distance(0, 3), 0.3);
  message.set_metric(v1::METRIC_CEIL);
  EXPECT_EQ(Read(message)->instance.Distance(0, 3), 1);
  message.set_time_unit("fortnights");
  EXPECT_THAT(ErrorOf(message), HasSubstr("time_unit: unknown"));
}

TEST_F(RoadInputTest, NamesPairsWithoutARoad) {
  v1::Instance message = LonLat(9);
  message.set_road_network("car");
  roads_.blocked = {{24'004'000, 24'008'000}, {24'008'000, 24'004'000}, {24'001'000, 24'002'000}};
  const std::string error = ErrorOf(message);
  EXPECT_THAT(error, HasSubstr("road_network: no road leads from customers[0] to customers[1] on "
                               "road_network car"));
  EXPECT_THAT(error, HasSubstr("no road joins customers[3] and customers[7] on road_network car"));
  EXPECT_THAT(error, testing::Not(HasSubstr("customers[7] and customers[3]")));
}

TEST_F(RoadInputTest, NamesAnIsolatedPlaceOnceWithTheMissingDirection) {
  v1::Instance message = LonLat(9);
  message.set_road_network("car");
  const auto block = [this](bool leaving, bool arriving) {
    roads_.blocked.clear();
    for (int32_t i = 0; i < 10; ++i) {
      const int32_t other = 24'000'000 + 1000 * i;
      if (leaving && i != 4) roads_.blocked.insert({24'004'000, other});
      if (arriving && i != 4) roads_.blocked.insert({other, 24'004'000});
    }
  };
  block(true, true);
  EXPECT_THAT(ErrorOf(message),
              testing::StartsWith("road_network: no road joins customers[3] and the other "
                                  "locations on road_network car; correct the coordinates"));
  block(true, false);
  EXPECT_THAT(ErrorOf(message),
              testing::StartsWith("road_network: no road leads from customers[3] to the other "
                                  "locations on road_network car; correct the coordinates"));
  block(false, true);
  EXPECT_THAT(ErrorOf(message),
              testing::StartsWith("road_network: no road leads from the other locations to "
                                  "customers[3] on road_network car; correct the coordinates"));
}

TEST_F(RoadInputTest, CountsPairsThatItDoesNotName) {
  v1::Instance message = LonLat(20);
  message.set_road_network("car");
  for (int32_t i = 0; i < 20; i += 2) {
    roads_.blocked.insert({24'000'000 + 1000 * i, 24'001'000 + 1000 * i});
  }
  EXPECT_THAT(ErrorOf(message), HasSubstr("; and 5 more; "));
}

TEST_F(RoadInputTest, NamesPlacesFarFromAnyRoad) {
  v1::Instance message = LonLat();
  message.set_road_network("car");
  roads_.far = {{.place = 2, .metres = 7'031'400}};
  EXPECT_THAT(ErrorOf(message),
              HasSubstr("customers[1] is 7031 km from the nearest road of road_network car"));
}

TEST_F(RoadInputTest, RefusesPlanarCoordinatesAndMatricesBesideANetwork) {
  v1::Instance planar = LonLat();
  planar.set_road_network("car");
  planar.set_coordinate_system(v1::COORDINATE_SYSTEM_PLANAR);
  EXPECT_THAT(ErrorOf(planar), HasSubstr("road_network: the coordinates are planar"));
  v1::Instance matrix = test::AMatrixMessage();
  matrix.set_road_network("car");
  EXPECT_THAT(ErrorOf(matrix), HasSubstr("road_network: the locations are absent"));
  v1::Instance both = LonLat();
  both.mutable_vehicles(0)->set_road_network("bike");
  *both.mutable_vehicles(0)->mutable_distance_matrix() = matrix.distance_matrix();
  EXPECT_THAT(ErrorOf(both), HasSubstr("vehicles[0].road_network: given together with a matrix"));
  EXPECT_EQ(roads_.calls, 0);
}

TEST_F(RoadInputTest, ChecksTheInstanceBeforeItAsks) {
  v1::Instance message = LonLat();
  message.set_road_network("car");
  message.mutable_customers(0)->set_service_time(-1);
  EXPECT_THAT(ErrorOf(message), HasSubstr("customers[0].service_time"));
  EXPECT_EQ(roads_.calls, 0);
}

TEST_F(RoadInputTest, NamesTheFieldOfAnUnknownNetworkAndPassesOtherErrorsOn) {
  v1::Instance message = LonLat();
  message.mutable_vehicles(0)->set_road_network("bike");
  roads_.error = absl::InvalidArgumentError("got \"bike\", wanted a road network: car");
  EXPECT_EQ(ErrorOf(message), "vehicles[0].road_network: got \"bike\", wanted a road network: car");
  roads_.error = absl::UnavailableError("road_network car (...): it closed the connection");
  EXPECT_EQ(ErrorOf(message, absl::StatusCode::kUnavailable), roads_.error.message());
}

TEST_F(RoadInputTest, RefusesNetworksWhereThereAreNone) {
  v1::Instance message = LonLat();
  message.set_road_network("car");
  EXPECT_THAT(std::string(InputWithRoads(message, {}).status().message()),
              HasSubstr("road_network: got \"car\", which is not supported here"));
  v1::InstanceFile file;
  file.set_road_network("car");
  EXPECT_THAT(std::string(InputWithRoads(file, {}).status().message()),
              HasSubstr("file.road_network: got \"car\", which is not supported here"));
}

constexpr char kJson[] = R"({"kind": "cvrp", "coordinates": "lon_lat", "capacity": 10,
    "coords": [[24, 60], [24.001, 60], [24.002, 60]], "demands": [0, 1, 1], "ref_cost": 5})";

v1::InstanceFile File(const std::string& content, const std::string& network = "") {
  v1::InstanceFile file;
  file.set_name("a.json");
  file.set_content(content);
  file.set_road_network(network);
  return file;
}

TEST_F(RoadInputTest, ReplacesTheDistancesOfAFile) {
  const auto input = Read(File(kJson, "car"));
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->instance.Distance(0, 2), 200);
  EXPECT_FALSE(input->instance.reference_cost().has_value()) << "a cost of other distances";
}

TEST_F(RoadInputTest, ReadsTheNamesInAFile) {
  std::string text = kJson;
  text.replace(text.find("\"capacity\": 10"), 14,
               R"("road_network": "car", "vehicles": [{"capacity": 9, "road_network": "bike"},
                  {"capacity": 9}])");
  const auto input = Read(File(text));
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(input->roads.networks, ElementsAre("bike", "car"));
  EXPECT_EQ(input->instance.reference_cost(), 5);
  EXPECT_THAT(Read(File(text, "truck"))->roads.networks, ElementsAre("bike", "truck"));
  text.replace(text.find("\"bike\""), 6, "7");
  EXPECT_THAT(ErrorOf(File(text)), HasSubstr("a.json: vehicles[0].road_network: got 7"));
}

TEST_F(RoadInputTest, NamesTheFileInErrors) {
  std::string text = kJson;
  text.replace(text.find("\"capacity\""), 0, "\"road_network\": \"car\", ");
  roads_.blocked = {{24'001'000, 24'002'000}};
  EXPECT_THAT(ErrorOf(File(text)),
              HasSubstr("a.json: road_network: no road leads from customers[0] to customers[1]"));
  EXPECT_THAT(ErrorOf(File(kJson, "car")),
              HasSubstr("file.road_network: no road leads from customers[0] to customers[1]"));
}

TEST_F(RoadInputTest, RefusesFilesWithoutLongitudes) {
  EXPECT_THAT(ErrorOf(File("NAME : a\nTYPE : CVRP\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\n"
                           "CAPACITY : 5\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n"
                           "DEMAND_SECTION\n1 0\n2 1\nDEPOT_SECTION\n1\n-1\nEOF\n",
                           "car")),
              HasSubstr("file.road_network: the coordinates are planar"));
}

constexpr char kVroom[] = R"({
    "vehicles": [{"id": 1, "start": [24, 60], "end": [24, 60]},
                 {"id": 2, "start": [24, 60], "profile": "bike", "speed_factor": 2}],
    "jobs": [{"id": 1, "location": [24.001, 60]}, {"id": 2, "location": [24.002, 60]}],
    "shipments": [{"pickup": {"id": 3, "location": [24.003, 60]},
                   "delivery": {"id": 4, "location": [24.001, 60]}}]})";

TEST_F(RoadInputTest, GivesVroomsVehiclesTheNetworksOfTheirProfiles) {
  const auto input = Read(File(kVroom, "car"));
  ASSERT_TRUE(input.ok()) << input.status();
  const Instance& instance = input->instance;
  EXPECT_THAT(input->roads.networks, ElementsAre("car", "bike"));
  EXPECT_EQ(instance.Duration(instance.vehicles()[0], 0, 2), 20);
  EXPECT_EQ(instance.Duration(instance.vehicles()[1], 0, 2), 20)
      << "twice the time, at double speed";
  EXPECT_EQ(roads_.last_places.size(), 4u);
  EXPECT_EQ(instance.position(2).x, 24.002);
}

TEST_F(RoadInputTest, NamesVroomsLocations) {
  roads_.blocked = {{24'002'000, 24'003'000}};
  EXPECT_THAT(ErrorOf(File(kVroom, "car")),
              HasSubstr("file.road_network: no road leads from jobs[1].location to "
                        "shipments[0].pickup.location on road_network car"));
}

TEST_F(RoadInputTest, LeavesVroomsProfilesAloneWithoutARoadNetwork) {
  ASSERT_TRUE(Read(File(kVroom)).ok());
  EXPECT_EQ(roads_.calls, 0);
}

}  // namespace
}  // namespace vrp
