#include "core/habits/driven_day.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/checker/checker.h"
#include "tests/habits/habits_testing.h"

namespace vrp {
namespace {

using test::HistoryOf;
using testing::HasSubstr;

// Returns the history of a day whose routes have these stops and start at (0, 0).
RouteHistory Parse(const std::vector<std::string>& routes) {
  std::string text;
  for (const std::string& stops : routes) {
    text += R"({"day": "2026-03-01", "depot": {"x": 0, "y": 0}, "stops": [)" + stops + "]}\n";
  }
  return *ParseRouteHistory(text, "past.jsonl");
}

DrivenDay DayOf(const RouteHistory& history) {
  absl::StatusOr<DrivenDay> day = MakeDrivenDay(history, history.routes);
  EXPECT_TRUE(day.ok()) << day.status();
  return *std::move(day);
}

std::string RefusalOf(const RouteHistory& history) {
  const absl::Status status = MakeDrivenDay(history, history.routes).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

NodeIndex NodeOf(const Instance& instance, const std::string& id) {
  for (NodeIndex node = 0; node < instance.num_nodes(); ++node) {
    if (instance.id(node) == id) return node;
  }
  ADD_FAILURE() << "no node " << id;
  return 0;
}

TEST(DrivenDayTest, GivesEachRouteAVehicleOfItsDriver) {
  const RouteHistory history = HistoryOf({{.day = 1, .driver = "ann", .stops = {"a1", "a2", "a3"}},
                                          {.day = 1, .driver = "bob", .stops = {"b1"}},
                                          {.day = 1, .driver = "ann", .stops = {"c1", "c2"}}});
  const DrivenDay day = DayOf(history);
  const auto vehicles = day.instance.vehicles();
  ASSERT_EQ(vehicles.size(), 2);
  EXPECT_EQ(vehicles[0].id, "ann");
  EXPECT_EQ(vehicles[0].count, 2);
  EXPECT_EQ(vehicles[0].max_stops, 3);
  EXPECT_EQ(vehicles[1].id, "bob");
  EXPECT_EQ(vehicles[1].count, 1);
  ASSERT_EQ(day.driven.size(), 3);
  EXPECT_EQ(day.driven[1].vehicle_type, 1);
  EXPECT_EQ(day.instance.id(day.driven[0].customers[1]), "a2");
  EXPECT_EQ(day.instance.position(day.driven[2].customers[1]), test::PlaceOf("c2"));
  EXPECT_TRUE(CheckPlan(day.instance, day.driven).feasible);
}

TEST(DrivenDayTest, LimitsLoadsToTheLargestOfTheDay) {
  const DrivenDay day =
      DayOf(Parse({R"({"x": 1, "y": 0, "demand": 4}, {"x": 2, "y": 0, "demand": 3})",
                   R"({"x": 3, "y": 0, "demand": 5}, {"x": 4, "y": 0}, {"x": 5, "y": 0})"}));
  ASSERT_EQ(day.instance.vehicles().size(), 1);
  EXPECT_EQ(day.instance.vehicles()[0].count, 2);
  EXPECT_EQ(day.instance.vehicles()[0].capacity, 7);
  EXPECT_EQ(day.instance.vehicles()[0].max_stops, INT32_MAX);
  EXPECT_EQ(day.instance.demand(day.driven[1].customers[0]), 5);
  EXPECT_TRUE(CheckPlan(day.instance, day.driven).feasible);
}

TEST(DrivenDayTest, KeepsWindowsOpenUntilTheirStopsWereServed) {
  const DrivenDay day = DayOf(Parse(
      {R"({"id": "late", "x": 1, "y": 0, "window": [900, 1000]}, )"
       R"({"id": "missed", "x": 2, "y": 0, "window": [0, 100]}, {"id": "open", "x": 3, "y": 0})"}));
  const auto window = [&](const std::string& id) {
    return day.instance.window(NodeOf(day.instance, id));
  };
  EXPECT_EQ(window("late"), (TimeWindow{.open = 900, .close = 1000}));
  EXPECT_EQ(window("missed"), (TimeWindow{.open = 0, .close = 900}));
  EXPECT_EQ(window("open"), TimeWindow());
  EXPECT_TRUE(CheckPlan(day.instance, day.driven).feasible);
  Plan backwards = day.driven;
  std::swap(backwards[0].customers[0], backwards[0].customers[2]);
  std::swap(backwards[0].customers[0], backwards[0].customers[1]);
  EXPECT_TRUE(CheckPlan(day.instance, backwards).feasible) << "travel must take no time";
}

TEST(DrivenDayTest, StartsRoutesAtTheirOwnDepots) {
  const DrivenDay day = DayOf(*ParseRouteHistory(
      R"({"day": "2026-03-01", "driver": "ann", "depot": {"x": 0, "y": 0}, "stops": [{"x": 1, "y": 0}]})"
      "\n"
      R"({"day": "2026-03-01", "driver": "ann", "depot": {"x": 9, "y": 0}, "stops": [{"x": 8, "y": 0}]})",
      "past.jsonl"));
  EXPECT_EQ(day.instance.num_depots(), 2);
  ASSERT_EQ(day.instance.vehicles().size(), 2);
  EXPECT_EQ(day.instance.position(day.instance.vehicles()[1].depot), (Position{.x = 9, .y = 0}));
  EXPECT_EQ(CheckPlan(day.instance, day.driven).cost, 4);
}

TEST(DrivenDayTest, TreatsVisitsOfOneStopAsOnePlace) {
  const RouteHistory history =
      HistoryOf({{.day = 1, .stops = {"a1", "a2"}}, {.day = 1, .stops = {"a1", "a3"}}});
  const DrivenDay day = DayOf(history);
  EXPECT_EQ(day.instance.num_customers(), 4);
  Plan swapped = day.driven;
  std::swap(swapped[0].customers[0], swapped[1].customers[0]);
  EXPECT_EQ(SharesOfDrivenLegs(day, swapped).same_way, 1);
}

TEST(DrivenDayTest, HidesTheRoutesFromTheNodeNumbers) {
  const RouteHistory history =
      HistoryOf({{.day = 1, .stops = {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"}}});
  const DrivenDay day = DayOf(history);
  EXPECT_NE(day.driven[0].customers, std::vector<NodeIndex>({1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(DrivenDayTest, GivesStopsWithoutIdsTheirOwn) {
  const DrivenDay day = DayOf(Parse({R"({"x": 1, "y": 0}, {"x": 2, "y": 0}, )"
                                     R"({"id": "visit 1", "x": 3, "y": 0}, )"
                                     R"({"id": "depot 0", "x": 4, "y": 0})"}));
  EXPECT_EQ(day.instance.num_customers(), 4);
  EXPECT_EQ(day.instance.position(NodeOf(day.instance, "visit 1")).x, 3);
}

TEST(DrivenDayTest, RefusesADayWithoutPositionsByName) {
  const std::string nowhere = R"({"day": "2026-03-01", "stops": [{"x": 1, "y": 0}]})";
  EXPECT_THAT(RefusalOf(*ParseRouteHistory(nowhere, "past.jsonl")),
              HasSubstr("2026-03-01: no depot is known; give it with x and y"));
  EXPECT_THAT(RefusalOf(Parse({R"({"id": "a"})"})),
              HasSubstr("2026-03-01: stop \"a\" has no position; give it x and y"));
}

TEST(DrivenDayTest, RefusesMoreStopsThanHabitsCanGuide) {
  std::string stops = R"({"x": 1, "y": 0})";
  for (int i = 0; i < 1'999; ++i) stops += R"(, {"x": 1, "y": 0})";
  EXPECT_THAT(RefusalOf(Parse({stops})), HasSubstr("got 2000 stops, wanted fewer than 2000"));
}

TEST(DrivenDayTest, RefusesAnIdThatAnInstanceCannotHave) {
  const std::string id(300, 'x');
  EXPECT_THAT(RefusalOf(Parse({R"({"id": ")" + id + R"(", "x": 1, "y": 0})"})),
              HasSubstr("2026-03-01: "));
}

TEST(SharesOfDrivenLegsTest, CountsLegsWithAndWithoutTheirDirection) {
  const DrivenDay day = DayOf(HistoryOf({{.day = 1, .stops = {"a1", "a2", "a3"}}}));
  EXPECT_EQ(SharesOfDrivenLegs(day, day.driven).same_way, 1);
  Plan plan = day.driven;
  std::reverse(plan[0].customers.begin(), plan[0].customers.end());
  EXPECT_EQ(SharesOfDrivenLegs(day, plan).same_way, 0);
  EXPECT_EQ(SharesOfDrivenLegs(day, plan).either_way, 1);
  plan = day.driven;
  std::swap(plan[0].customers[0], plan[0].customers[1]);  // 0-2-1-3-0
  EXPECT_EQ(SharesOfDrivenLegs(day, plan).same_way, 0.25);
  EXPECT_EQ(SharesOfDrivenLegs(day, plan).either_way, 0.5);
}

TEST(SharesOfDrivenLegsTest, CountsRepeatedLegsAsOftenAsBothHaveThem) {
  const DrivenDay day =
      DayOf(HistoryOf({{.day = 1, .stops = {"a1"}}, {.day = 1, .stops = {"a1"}}}));
  Plan joined = day.driven;
  joined[0].customers.push_back(joined[1].customers[0]);
  joined[1].customers.clear();
  EXPECT_EQ(SharesOfDrivenLegs(day, joined).same_way, 0.5);
}

}  // namespace
}  // namespace vrp
