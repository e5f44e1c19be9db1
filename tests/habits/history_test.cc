#include "core/habits/history.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/habits/route_line.h"
#include "tests/habits/habits_testing.h"

namespace vrp {
namespace {

constexpr char kTwoRoutes[] =
    R"({"day": "2026-03-02", "driver": "ann", "depot": {"x": 1, "y": 2}, "stops": [{"id": "c17", "x": 1.5, "y": 2, "demand": 3, "window": [10, 20]}, {"id": 8}]}

{"day": "2026-03-04", "stops": [{"x": 4, "y": 5}, {"id": "c17"}]}
)";

TEST(ParseRouteHistoryTest, ReadsRoutesAndRemembersPositions) {
  const auto history = ParseRouteHistory(kTwoRoutes, "past.jsonl");
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_EQ(history->ids, std::vector<std::string>({"c17", "8"}));
  EXPECT_EQ(history->drivers, std::vector<std::string>({"ann"}));
  ASSERT_EQ(history->routes.size(), 2u);
  const PastRoute& first = history->routes[0];
  EXPECT_EQ(DayText(first.day), "2026-03-02");
  EXPECT_EQ(history->DriverName(first.driver), "ann");
  EXPECT_EQ(first.depot, (Position{.x = 1, .y = 2}));
  ASSERT_EQ(first.stops.size(), 2u);
  EXPECT_EQ(first.stops[0].demand, 3);
  EXPECT_EQ(first.stops[0].window.open, 10);
  EXPECT_EQ(first.stops[0].window.close, 20);
  EXPECT_FALSE(first.stops[1].position.has_value());
  const PastRoute& second = history->routes[1];
  EXPECT_EQ(second.day - first.day, 2);
  EXPECT_EQ(history->DriverName(second.driver), "");
  EXPECT_EQ(second.depot, first.depot);
  EXPECT_EQ(second.stops[0].id, -1);
  EXPECT_EQ(second.stops[1].position, (Position{.x = 1.5, .y = 2}));
}

std::string WithStops(const std::string& stops) {
  return R"({"day": "2026-03-02", "stops": )" + stops + "}\n";
}

struct BadHistory {
  std::string text;
  std::string error;  // its beginning
};

TEST(ParseRouteHistoryTest, NamesTheLineAndTheFieldOfEachError) {
  const std::string good = WithStops(R"([{"id": "a"}])");
  const std::string lon_lat =
      R"({"day": "2026-03-02", "coordinates": "lon_lat", "stops": [{"x": 13.4, "y": 52.5}]})";
  const std::vector<BadHistory> histories = {
      {"", "past.jsonl: no routes"},
      {"\n \n", "past.jsonl: no routes"},
      {"day,stop\n", "past.jsonl:1: line:1:1: "},
      {"[1]\n", "past.jsonl:1: line: wanted a JSON object with day and stops"},
      {R"({"stops": [{"id": "a"}]})", "past.jsonl:1: day: absent, wanted a date"},
      {R"({"day": "2026-3-2", "stops": [{"id": "a"}]})", "past.jsonl:1: day: got"},
      {R"({"day": "2026-02-30", "stops": [{"id": "a"}]})", "past.jsonl:1: day: got"},
      {R"({"day": 20260302, "stops": [{"id": "a"}]})", "past.jsonl:1: day: got"},
      {good + R"({"day": "2026-03-01", "stops": [{"id": "a"}]})",
       R"(past.jsonl:2: day: got "2026-03-01" after "2026-03-02")"},
      {R"({"day": "2026-03-02"})", "past.jsonl:1: stops: absent"},
      {WithStops("[]"), "past.jsonl:1: stops: got \"[]\", wanted at least one stop"},
      {WithStops("[3]"), "past.jsonl:1: stops[0]: got"},
      {WithStops(R"([{"id": "a"}, {}])"),
       "past.jsonl:1: stops[1].id: absent, and the stop has no position"},
      {WithStops(R"([{"id": ""}])"), "past.jsonl:1: stops[0].id: got"},
      {WithStops(R"([{"id": "a"}, {"id": "b"}, {"id": "a"}])"),
       "past.jsonl:1: stops[2].id: got \"a\" again"},
      {WithStops(R"([{"x": 1}])"), "past.jsonl:1: stops[0].y: absent"},
      {WithStops(R"([{"x": "1", "y": 2}])"), "past.jsonl:1: stops[0].x: got"},
      {WithStops(R"([{"id": "a", "demand": -1}])"), "past.jsonl:1: stops[0].demand: got"},
      {WithStops(R"([{"id": "a", "window": [2, 1]}])"), "past.jsonl:1: stops[0].window: got"},
      {WithStops(R"([{"id": "a", "window": 2}])"), "past.jsonl:1: stops[0].window: got"},
      {WithStops(R"([{"id": "a", "lat": 2}])"), "past.jsonl:1: stops[0].lat: unknown key"},
      {R"({"day": "2026-03-02", "car": 1, "stops": [{"id": "a"}]})",
       "past.jsonl:1: car: unknown key, wanted day, driver, coordinates, depot and stops"},
      {R"({"day": "2026-03-02", "driver": [], "stops": [{"id": "a"}]})",
       "past.jsonl:1: driver: got"},
      {R"({"day": "2026-03-02", "depot": 3, "stops": [{"id": "a"}]})", "past.jsonl:1: depot: got"},
      {R"({"day": "2026-03-02", "depot": {"x": 3}, "stops": [{"id": "a"}]})",
       "past.jsonl:1: depot.y: absent"},
      {good + lon_lat, "past.jsonl:2: coordinates: got another system"},
      {R"({"day": "2026-03-02", "coordinates": "utm", "stops": [{"id": "a"}]})",
       "past.jsonl:1: coordinates: got"},
      {R"({"day": "2026-03-02", "coordinates": "lon_lat", "stops": [{"x": 13.4, "y": 152.5}]})",
       "past.jsonl:1: stops[0].y: got 152.5, wanted a latitude"}};
  for (const BadHistory& history : histories) {
    const absl::Status status = ParseRouteHistory(history.text, "past.jsonl").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << history.text;
    EXPECT_EQ(std::string(status.message()).substr(0, history.error.size()), history.error)
        << status;
  }
}

TEST(ParseRouteHistoryTest, KeepsTheCoordinatesOfTheFirstLine) {
  const auto lines = ParseRouteHistory(
      "{\"day\": \"2026-03-02\", \"coordinates\": \"lon_lat\", \"stops\": [{\"x\": 1, \"y\": 2}]}\n"
      "{\"day\": \"2026-03-02\", \"stops\": [{\"x\": 1, \"y\": 3}]}",
      "past.jsonl");
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_EQ(lines->coordinates, CoordinateSystem::kLonLat);
}

TEST(RouteHistoryBuilderTest, LimitsTheDrivers) {
  RouteHistoryBuilder builder;
  for (int64_t i = 0; i < kMaxHistoryDrivers; ++i) {
    ASSERT_TRUE(
        builder.Add(Concat(R"({"day": "2026-03-02", "driver": )", i, R"(, "stops": [{"id": 1}]})"))
            .ok());
  }
  EXPECT_EQ(builder.Add(R"({"day": "2026-03-02", "driver": "x", "stops": [{"id": 1}]})").message(),
            "driver: got more than 2000 drivers, the limit of a history");
  EXPECT_TRUE(builder.Add(R"({"day": "2026-03-02", "driver": 7, "stops": [{"id": 1}]})").ok());
  EXPECT_EQ(std::move(builder).Take().routes.size(), 2001u);
}

TEST(RouteLineReaderTest, RecognisesLinesOfAHistory) {
  EXPECT_TRUE(RouteLineReader::Recognises(R"({"day": "2026-03-02", "stops": []})"));
  EXPECT_TRUE(RouteLineReader::Recognises(R"({"driver": "ann"})"));
  EXPECT_FALSE(RouteLineReader::Recognises(R"({"day": "2026-03-02", "customer": "c1"})"));
  EXPECT_FALSE(RouteLineReader::Recognises(R"({"kind": "cvrp", "coords": [[0, 1]]})"));
  EXPECT_FALSE(RouteLineReader::Recognises("day,stop"));
}

TEST(RouteLineReaderTest, IgnoresARefusedLine) {
  RouteLineReader reader;
  ASSERT_TRUE(reader.Read(R"({"day": "2026-03-02", "stops": [{"id": 1}, {"id": 2}]})").ok());
  EXPECT_FALSE(reader.Read(R"({"day": "2026-03-09", "stops": []})").ok());
  EXPECT_TRUE(reader.Read(R"({"day": "2026-03-02", "stops": [{"id": 1}]})").ok());
  EXPECT_EQ(reader.days(), 1);
  EXPECT_EQ(reader.routes(), 2);
  EXPECT_EQ(reader.stops(), 3);
}

TEST(FirstRouteOfLastDaysTest, CountsDaysThatHaveRoutes) {
  const RouteHistory history = test::HistoryOf({{.day = 1, .stops = {"a1"}},
                                                {.day = 5, .stops = {"a1"}},
                                                {.day = 5, .stops = {"a1"}},
                                                {.day = 9, .stops = {"a1"}}});
  EXPECT_EQ(FirstRouteOfLastDays(history, 0), 4u);
  EXPECT_EQ(FirstRouteOfLastDays(history, 1), 3u);
  EXPECT_EQ(FirstRouteOfLastDays(history, 2), 1u);
  EXPECT_EQ(FirstRouteOfLastDays(history, 3), 0u);
  EXPECT_EQ(FirstRouteOfLastDays(history, 4), 0u);
  EXPECT_EQ(CountDays(history.routes), 3);
}

}  // namespace
}  // namespace vrp
