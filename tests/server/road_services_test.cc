// Tests the protocols of OSRM and Valhalla, and encoded polylines.
#include <string>
#include <vector>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/roads/polyline.h"
#include "server/roads/road_service.h"

namespace vrp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::unique_ptr<const RoadService> Service(RoadServiceKind kind, const char* path = "") {
  RoadNetworkOptions options = DefaultsOf(kind);
  options.url = *ParseRoadUrl(Concat("http://127.0.0.1:5000", path));
  return MakeRoadService(options);
}

const std::vector<RoadPlace> kPlaces = {
    {24'940'000, 60'170'000}, {24'950'000, 60'180'000}, {-24'900'001, -5}};

TEST(OsrmService, AsksForABlockOfTheTable) {
  const RoadCall call = Service(RoadServiceKind::kOsrm, "/car/")
                            ->TableCall(std::span(kPlaces).first(2), std::span(kPlaces).last(1));
  EXPECT_EQ(call.target,
            "/car/table/v1/driving/24.940000,60.170000;24.950000,60.180000;-24.900001,-0.000005"
            "?annotations=duration,distance&generate_hints=false&sources=0;1&destinations=2");
  EXPECT_EQ(call.body, "");
}

TEST(OsrmService, ReadsTenthsAndMarksPairsWithoutARoad) {
  const auto table = Service(RoadServiceKind::kOsrm)
                         ->ReadTable(R"({"code":"Ok","durations":[[0,206.14,null]],
                                        "distances":[[0,1384.75,null]],
                                        "sources":[{"distance":12.5}]})",
                                     1, 3);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(table->durations, ElementsAre(0, 2061, kNoRoad));
  EXPECT_THAT(table->distances, ElementsAre(0, 13848, kNoRoad));
  EXPECT_THAT(table->metres_to_road, ElementsAre(12.5));
}

TEST(OsrmService, TakesItsSlightlyNegativeDistancesAsZero) {
  const auto table =
      Service(RoadServiceKind::kOsrm)
          ->ReadTable(R"({"code":"Ok","durations":[[0,0]],"distances":[[0,-0.2]]})", 1, 2);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(table->distances, ElementsAre(0, 0));
}

TEST(OsrmService, JoinsTheStepsOfALeg) {
  const std::string first = EncodePolyline({{24.94, 60.17}, {24.95, 60.17}});
  const std::string second = EncodePolyline({{24.95, 60.17}, {24.95, 60.18}});
  const auto lines =
      Service(RoadServiceKind::kOsrm)
          ->ReadRoute(Concat(R"({"code":"Ok","routes":[{"legs":[{"steps":[)", R"({"geometry":")",
                             first, R"("},{"geometry":")", second, R"("}]}]}]})"),
                      1);
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_EQ(lines->front(), (RoadLine{{24.94, 60.17}, {24.95, 60.17}, {24.95, 60.18}}));
}

TEST(OsrmService, SaysHowToRaiseItsLimit) {
  const absl::Status error =
      Service(RoadServiceKind::kOsrm)
          ->ErrorOf(400, R"({"code":"TooBig","message":"Too many table coordinates"})");
  EXPECT_EQ(error.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(error.message()), HasSubstr("TooBig: Too many table coordinates"));
  EXPECT_THAT(std::string(error.message()), HasSubstr("lower block_size"));
}

TEST(ValhallaService, AsksForABlockOfTheMatrix) {
  const RoadCall call = Service(RoadServiceKind::kValhalla)
                            ->TableCall(std::span(kPlaces).first(1), std::span(kPlaces).last(1));
  EXPECT_EQ(call.target, "/sources_to_targets");
  EXPECT_EQ(call.body, R"({"sources":[{"lat":60.170000,"lon":24.940000}],)"
                       R"("targets":[{"lat":-0.000005,"lon":-24.900001}],)"
                       R"("costing":"auto","units":"kilometers","verbose":false})");
}

TEST(ValhallaService, ReadsKilometres) {
  const auto table = Service(RoadServiceKind::kValhalla)
                         ->ReadTable(R"({"sources_to_targets":{"durations":[[0,230],[267,null]],
                                        "distances":[[0.0,1.701],[2.027,null]]}})",
                                     2, 2);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(table->durations, ElementsAre(0, 2300, 2670, kNoRoad));
  EXPECT_THAT(table->distances, ElementsAre(0, 17010, 20270, kNoRoad));
}

TEST(ValhallaService, ReadsTheShapeOfEachLeg) {
  const RoadLine line = {{24.94, 60.17}, {24.95, 60.18}};
  const auto lines =
      Service(RoadServiceKind::kValhalla)
          ->ReadRoute(Concat(R"({"trip":{"legs":[{"shape":")", EncodePolyline(line), R"("}]}})"),
                      1);
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_THAT(*lines, ElementsAre(line));
}

TEST(ValhallaService, NamesItsError) {
  const absl::Status error =
      Service(RoadServiceKind::kValhalla)
          ->ErrorOf(400, R"({"error_code":154,"error":"Path distance exceeds the limit"})");
  EXPECT_THAT(std::string(error.message()), HasSubstr("error 154: Path distance"));
  EXPECT_THAT(std::string(error.message()), HasSubstr("max_matrix_distance"));
}

// None of these answers is a valid table of two rows and two columns.
TEST(RoadService, RefusesMalformedTables) {
  std::string deep(10'000, '[');
  for (const RoadServiceKind kind : {RoadServiceKind::kOsrm, RoadServiceKind::kValhalla}) {
    for (const std::string& answer :
         {std::string(), std::string("<html>"), std::string("null"), std::string("[]"), deep,
          std::string(R"({"code":"Ok"})"), std::string(R"({"code":7})"),
          std::string(R"({"code":"Ok","durations":[[0,1]],"distances":[[0,1]]})"),
          std::string(R"({"code":"Ok","durations":[[0,1],[2]],"distances":[[0,1],[1,0]]})"),
          std::string(R"({"code":"Ok","durations":[[0,"1"],[2,0]],"distances":[[0,1],[1,0]]})"),
          std::string(R"({"code":"Ok","durations":[[0,-9],[2,0]],"distances":[[0,1],[1,0]]})"),
          std::string(R"({"code":"Ok","durations":[[0,1e300],[2,0]],"distances":[[0,1],[1,0]]})"),
          std::string(R"({"sources_to_targets":[[{"time":1}]]})"),
          std::string(R"({"sources_to_targets":{"durations":[[0,1],[1,0]],"distances":7}})")}) {
      const auto table = Service(kind)->ReadTable(answer, 2, 2);
      EXPECT_EQ(table.status().code(), absl::StatusCode::kFailedPrecondition)
          << RoadServiceName(kind) << ": " << answer.substr(0, 80);
    }
  }
}

TEST(RoadService, RefusesMalformedRoutes) {
  for (const RoadServiceKind kind : {RoadServiceKind::kOsrm, RoadServiceKind::kValhalla}) {
    for (const char* answer :
         {"", "{}", R"({"code":"Ok","routes":[]})", R"({"code":"Ok","routes":[{"legs":[]}]})",
          R"({"code":"Ok","routes":[{"legs":[{"steps":[{"geometry":7}]}]}]})",
          R"({"code":"Ok","routes":[{"legs":[{"steps":[{"geometry":"~"}]}]}]})",
          R"({"trip":{"legs":[]}})", R"({"trip":{"legs":[{"shape":"~"}]}})",
          R"({"trip":{"legs":[{}]}})"}) {
      EXPECT_FALSE(Service(kind)->ReadRoute(answer, 1).ok())
          << RoadServiceName(kind) << ": " << answer;
    }
  }
}

TEST(Polyline, MatchesThePublishedExampleWithSixDecimals) {
  // The points are those of Google's published example, here with six decimals.
  const RoadLine line = {{-120.2, 38.5}, {-120.95, 40.7}, {-126.453, 43.252}};
  EXPECT_EQ(EncodePolyline(line), "_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI");
  EXPECT_EQ(*DecodePolyline("_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI"), line);
}

TEST(Polyline, RefusesMalformedText) {
  for (const std::string& text : {std::string("_"), std::string("_izlhA"), std::string("\x01\x02"),
                                  std::string(100, '~'), std::string("_izlhA~rlgdF\x7f")}) {
    EXPECT_FALSE(DecodePolyline(text).ok()) << text;
  }
  EXPECT_THAT(std::string(DecodePolyline(EncodePolyline({{200, 0}})).status().message()),
              StartsWith("polyline out of range"));
}

}  // namespace
}  // namespace vrp
