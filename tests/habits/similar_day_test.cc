#include "core/habits/similar_day.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/habits/route_line.h"
#include "tests/habits/habits_testing.h"

namespace vrp {
namespace {

using test::HistoryOf;
using test::PlaceOf;
using test::ShortRoute;
using testing::ElementsAre;

// Returns an instance whose depot 0 is where the depot of ShortRoutes is.
InstanceData TodayOf(const std::vector<std::string>& ids,
                     const std::vector<VehicleType>& vehicles = {{.capacity = 100}}) {
  InstanceData data{.kind = ProblemKind::kCvrp};
  data.ids = {"depot"};
  data.positions = {{.x = 0, .y = -5}};
  data.demands = {0};
  for (const std::string& id : ids) {
    data.ids.push_back(id);
    data.positions.push_back(PlaceOf(id));
    data.demands.push_back(1);
  }
  data.vehicles = vehicles;
  return data;
}

Instance Made(InstanceData data) { return Instance::Create(std::move(data)).value(); }

std::optional<SimilarDay> MostSimilar(const std::vector<ShortRoute>& routes,
                                      const Instance& instance) {
  return PastDays(HistoryOf(routes)).MostSimilarTo(instance);
}

// Returns each route as its vehicle type and the ids of its stops: "0: a1 a2".
std::vector<std::string> RoutesOf(const SimilarDay& day, const Instance& instance) {
  std::vector<std::string> routes;
  for (const PlannedRoute& route : day.plan) {
    std::string& text = routes.emplace_back(Concat(route.vehicle_type, ":"));
    for (const NodeIndex node : route.customers) text += Concat(" ", instance.id(node));
  }
  return routes;
}

TEST(SimilarDayTest, PrefersTheLargestShareOfStopsInCommon) {
  const Instance today = Made(TodayOf({"a1", "a2", "a3"}));
  // The second day has as many stops in common as the first one, but others besides.
  const auto day = MostSimilar({{.day = 1, .stops = {"a2", "a1"}},
                                {.day = 2, .stops = {"a1", "a2", "b1", "b2"}},
                                {.day = 3, .stops = {"a1", "b1"}}},
                               today);
  ASSERT_TRUE(day.has_value());
  EXPECT_EQ(DayText(day->day), "2026-03-01");
  EXPECT_EQ(day->common_stops, 2);
  EXPECT_EQ(day->past_stops, 2);
  EXPECT_THAT(RoutesOf(*day, today), ElementsAre("0: a2 a1"));
}

TEST(SimilarDayTest, PrefersTheNewestOfEqualDays) {
  const Instance today = Made(TodayOf({"a1", "a2"}));
  const auto day = MostSimilar({{.day = 1, .stops = {"a1", "b1"}},
                                {.day = 4, .stops = {"a2", "b1"}},
                                {.day = 5, .stops = {"b1", "b2"}}},
                               today);
  ASSERT_TRUE(day.has_value());
  EXPECT_EQ(DayText(day->day), "2026-03-04");
}

TEST(SimilarDayTest, KeepsTheOrderOfVisitsAndLeavesOutOtherStops) {
  const Instance today = Made(TodayOf({"a1", "a2", "b1", "b2", "c1"}));
  const auto day = MostSimilar({{.day = 1, .stops = {"a2", "c3", "a1"}},
                                {.day = 1, .stops = {"c4"}},
                                {.day = 1, .stops = {"b2", "c5", "b1", "a1"}}},
                               today);
  ASSERT_TRUE(day.has_value());
  EXPECT_EQ(day->common_stops, 4);
  EXPECT_EQ(day->past_stops, 7);
  EXPECT_THAT(RoutesOf(*day, today), ElementsAre("0: a2 a1", "0: b2 b1"))
      << "a customer of two past routes must be visited once";
}

TEST(SimilarDayTest, FindsNoDayWithoutACommonStop) {
  const std::vector<ShortRoute> past = {{.day = 1, .stops = {"a1", "depot1"}}};
  EXPECT_FALSE(MostSimilar(past, Made(TodayOf({"b1"}))).has_value());
  InstanceData depot_only = TodayOf({"b1"});
  depot_only.ids[0] = "a1";
  EXPECT_FALSE(MostSimilar(past, Made(std::move(depot_only))).has_value())
      << "a depot is no customer";
}

TEST(SimilarDayTest, GivesRoutesToTheVehiclesOfTheirDrivers) {
  const Instance today =
      Made(TodayOf({"a1", "a2", "b1", "b2", "c1"}, {{.id = "bob", .count = 1, .capacity = 9},
                                                    {.id = "van", .count = 1, .capacity = 9},
                                                    {.id = "ann", .count = 1, .capacity = 9}}));
  const auto day = MostSimilar({{.day = 1, .driver = "ann", .stops = {"a1"}},
                                {.day = 1, .driver = "carl", .stops = {"c1", "a2"}},
                                {.day = 1, .driver = "bob", .stops = {"b1", "b2"}}},
                               today);
  ASSERT_TRUE(day.has_value());
  EXPECT_THAT(RoutesOf(*day, today), ElementsAre("2: a1", "1: c1 a2", "0: b1 b2"));
}

TEST(SimilarDayTest, LeavesOutTheShortestRoutesIfThereAreTooFewVehicles) {
  const Instance today = Made(TodayOf({"a1", "b1", "b2"}, {{.count = 1, .capacity = 9}}));
  const auto day =
      MostSimilar({{.day = 1, .stops = {"a1"}}, {.day = 1, .stops = {"b1", "b2"}}}, today);
  ASSERT_TRUE(day.has_value());
  EXPECT_EQ(day->common_stops, 3);
  EXPECT_THAT(RoutesOf(*day, today), ElementsAre("0: b1 b2"));
}

TEST(SimilarDayTest, ChoosesTheSmallestVehicleThatCarriesTheLoad) {
  const Instance today = Made(
      TodayOf({"a1", "a2", "b1"}, {{.count = 1, .capacity = 9}, {.capacity = 1}, {.capacity = 2}}));
  const auto day =
      MostSimilar({{.day = 1, .stops = {"a1", "a2"}}, {.day = 1, .stops = {"b1"}}}, today);
  ASSERT_TRUE(day.has_value());
  EXPECT_THAT(RoutesOf(*day, today), ElementsAre("2: a1 a2", "1: b1"));
}

TEST(SimilarDayTest, ChoosesTheVehicleNearestToThePastDepot) {
  InstanceData data = TodayOf({"a1", "b1"});
  data.ids.insert(data.ids.begin(), "far");
  data.positions.insert(data.positions.begin(), {.x = 90, .y = 90});
  data.demands.insert(data.demands.begin(), 0);
  data.num_depots = 2;
  data.vehicles = {{.depot = 0, .capacity = 2}, {.depot = 1, .capacity = 9}};
  const Instance today = Made(std::move(data));
  const auto day = MostSimilar({{.day = 1, .stops = {"a1", "b1"}}}, today);
  ASSERT_TRUE(day.has_value());
  EXPECT_THAT(RoutesOf(*day, today), ElementsAre("1: a1 b1"));
}

TEST(SimilarDayTest, JoinsTheRoutesForATravellingSalesman) {
  InstanceData data = TodayOf({"a1", "a2", "b1"}, {});
  data.kind = ProblemKind::kTsp;
  data.demands.clear();
  const Instance today = Made(std::move(data));
  const auto day =
      MostSimilar({{.day = 1, .stops = {"a2"}}, {.day = 1, .stops = {"b1", "a1"}}}, today);
  ASSERT_TRUE(day.has_value());
  EXPECT_THAT(RoutesOf(*day, today), ElementsAre("0: a2 b1 a1"));
}

TEST(SimilarDayTest, TellsNamedCustomersFromNumberedOnes) {
  EXPECT_TRUE(NamesCustomers(Made(TodayOf({"a1", "a2"}))));
  InstanceData data = TodayOf({"a1", "a2"});
  data.ids.clear();
  EXPECT_FALSE(NamesCustomers(Made(std::move(data))));
}

}  // namespace
}  // namespace vrp
