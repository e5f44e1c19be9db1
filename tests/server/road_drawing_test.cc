// Tests the streets of routes, and the record of a job's matrices.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/roads/road_input.h"
#include "server/roads/road_record.h"
#include "server/roads/route_lines.h"
#include "tests/server/fake_roads.h"

namespace vrp {
namespace {

using test::FakeRoads;
using test::LonLat;
using testing::ElementsAre;

TEST(RouteLines, DrawsTheStreetsOfEachLeg) {
  v1::Instance message = LonLat(3);
  message.mutable_customers(2)->mutable_location()->set_x(24.002);  // as customers[1]
  message.set_road_network("car");
  FakeRoads roads;
  const auto input = InputWithRoads(message, {.roads = &roads});
  ASSERT_TRUE(input.ok()) << input.status();
  const auto solution = MakeSolution(input->instance, {{.customers = {1, 2, 3}}});
  ASSERT_TRUE(solution.ok()) << solution.status();
  const auto lines = LinesOf(input->instance, *solution, input->roads.networks, roads, {});
  ASSERT_TRUE(lines.ok()) << lines.status();
  ASSERT_EQ(lines->front().size(), 4u);
  EXPECT_TRUE(lines->front()[2].empty()) << "both stops are at the same place";
  EXPECT_EQ(lines->front()[3].back(), (Position{24, 60}));
  EXPECT_THAT(roads.line_calls, ElementsAre("car 4"));
  EXPECT_EQ(JoinedLines(input->instance, *solution, *lines).front().front(), (Position{24, 60}));
}

TEST(RouteLines, DrawsNoStreetsForVehiclesWithoutANetwork) {
  v1::Instance message = LonLat(2);
  message.add_vehicles()->set_road_network("bike");
  FakeRoads roads;
  const auto input = InputWithRoads(message, {.roads = &roads});
  ASSERT_TRUE(input.ok()) << input.status();
  const auto solution =
      MakeSolution(input->instance, {{.customers = {1}}, {.vehicle_type = 1, .customers = {2}}});
  ASSERT_TRUE(solution.ok()) << solution.status();
  const auto lines = LinesOf(input->instance, *solution, input->roads.networks, roads, {});
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_TRUE((*lines)[0].empty());
  EXPECT_EQ((*lines)[1].size(), 2u);
}

TEST(RoadRecord, RecordsWhatAJobNeedsWithoutTheService) {
  v1::Instance message = LonLat();
  message.set_road_network("car");
  FakeRoads roads;
  RoadRecord record(roads);
  ASSERT_TRUE(InputWithRoads(message, {.roads = &record}).ok());
  v1::SolveRequest request;
  *request.mutable_instance() = message;
  v1::SolveRequest stored;
  ASSERT_TRUE(stored.ParseFromString(request.SerializeAsString() + record.Attachment()));

  roads.error = absl::UnavailableError("gone");
  RoadRecord loaded(roads);
  ASSERT_TRUE(loaded.Load(stored).ok());
  const auto input = InputWithRoads(stored.instance(), {.roads = &loaded});
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->instance.Distance(0, 3), 300);
  EXPECT_EQ(roads.calls, 1);

  RemoveRoadAttachment(stored);
  EXPECT_EQ(stored.SerializeAsString(), request.SerializeAsString());
}

TEST(RoadRecord, ReportsDamagedRecords) {
  FakeRoads roads;
  v1::SolveRequest stored;
  for (const char* damaged : {"", "\xff",
                              "\x03"
                              "ab",
                              "\x01"
                              "a\xff\xff\xff\xff\x0f",
                              "\x01"
                              "a\x02\x01"}) {
    stored.Clear();
    stored.GetReflection()->MutableUnknownFields(&stored)->AddLengthDelimited(1000, damaged);
    EXPECT_EQ(RoadRecord(roads).Load(stored).code(), absl::StatusCode::kDataLoss) << damaged;
  }
}

}  // namespace
}  // namespace vrp
