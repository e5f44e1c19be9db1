// Tests the GeoJSON output of solutions.
#include "core/problem/formats/geojson.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using nlohmann::json;
using test::AnInstance;
using testing::HasSubstr;

Instance AlpineInstance() {
  InstanceData data = AnInstance().WithCustomers(3).BuildData();
  data.coordinates = CoordinateSystem::kLonLat;
  data.positions = {{7.0, 46.0}, {7.1, 46.1}, {7.2, 46.0}, {7.3, 46.2}};
  return *Instance::Create(data);
}

TEST(GeoJson, DrawsALinePerRouteAndAPointPerNode) {
  const Instance instance = AlpineInstance();
  Solution solution = *MakeSolution(instance, {{0, {2, 1}}});
  solution.unserved[0].reason = "fleet exhausted";
  const json root = json::parse(WriteGeoJson(instance, solution));
  EXPECT_EQ(root["type"], "FeatureCollection");
  ASSERT_EQ(root["features"].size(), 5u);
  for (const json& feature : root["features"]) EXPECT_EQ(feature["type"], "Feature");
  const json& line = root["features"][0];
  EXPECT_EQ(line["geometry"]["type"], "LineString");
  EXPECT_EQ(line["geometry"]["coordinates"],
            json::parse("[[7.0, 46.0], [7.2, 46.0], [7.1, 46.1], [7.0, 46.0]]"));
  EXPECT_EQ(line["properties"]["load"], 2);
  EXPECT_EQ(line["properties"]["distance"], solution.routes[0].distance);
  EXPECT_EQ(line["properties"]["cost"], solution.cost);
  EXPECT_EQ(root["features"][1]["properties"]["kind"], "depot");
  EXPECT_EQ(root["features"][2]["properties"]["id"], "2");
  EXPECT_EQ(root["features"][2]["properties"]["arrival"], solution.routes[0].stops[1].arrival);
  const json& unserved = root["features"][4];
  EXPECT_EQ(unserved["geometry"]["coordinates"], json::parse("[7.3, 46.2]"));
  EXPECT_EQ(unserved["properties"]["served"], false);
  EXPECT_EQ(unserved["properties"]["reason"], "fleet exhausted");
}

TEST(GeoJson, FollowsStreetsWhereARouteHasThem) {
  const Instance instance = AlpineInstance();
  const Solution solution = *MakeSolution(instance, {{0, {1}}, {0, {2}}});
  const std::vector<std::vector<Position>> streets = {
      {{7.0, 46.0}, {7.05, 46.0}, {7.1, 46.1}, {7.0, 46.0}}, {}};
  const json root = json::parse(WriteGeoJson(instance, solution, streets));
  EXPECT_EQ(root["features"][0]["geometry"]["coordinates"],
            json::parse("[[7.0, 46.0], [7.05, 46.0], [7.1, 46.1], [7.0, 46.0]]"));
  EXPECT_EQ(root["features"][1]["geometry"]["coordinates"],
            json::parse("[[7.0, 46.0], [7.2, 46.0], [7.0, 46.0]]"));
}

TEST(GeoJson, CutsRoutesAtThe180thMeridian) {
  InstanceData data = AnInstance().WithCustomers(2).BuildData();
  data.coordinates = CoordinateSystem::kLonLat;
  data.positions = {{177.0, -18.0}, {-179.0, -16.0}, {-178.0, -17.0}};
  const Instance instance = *Instance::Create(data);
  const json root = json::parse(WriteGeoJson(instance, *MakeSolution(instance, {{0, {1, 2}}})));
  const json& line = root["features"][0]["geometry"];
  EXPECT_EQ(line["type"], "MultiLineString");
  EXPECT_EQ(line["coordinates"],
            json::parse("[[[177.0, -18.0], [180.0, -16.5]],"
                        "[[-180.0, -16.5], [-179.0, -16.0], [-178.0, -17.0], [-180.0, -17.4]],"
                        "[[180.0, -17.4], [177.0, -18.0]]]"));
}

TEST(GeoJson, RefusesPlanarCoordinates) {
  const absl::Status planar = CheckGeoJson(AnInstance().Build());
  EXPECT_EQ(planar.message(), "coordinates: planar, wanted lon_lat for GeoJSON");
  const Instance matrix = AnInstance().ExplicitMatrix().Build();
  EXPECT_THAT(CheckGeoJson(matrix).message(), HasSubstr("coords"));
  EXPECT_TRUE(CheckGeoJson(AlpineInstance()).ok());
}

}  // namespace
}  // namespace vrp
