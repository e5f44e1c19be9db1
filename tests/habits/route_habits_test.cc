#include "core/habits/route_habits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/habits/routes/learn_route_habits.h"
#include "tests/habits/habits_testing.h"

namespace vrp {
namespace {

using test::HistoryOf;
using test::PlaceOf;
using test::ShortRoute;
using testing::IsEmpty;

RoutePlaces PlacesOf(const std::vector<std::string>& ids) {
  RoutePlaces route = {.depot = {.x = 0, .y = -5}};
  for (const std::string& id : ids) route.stops.push_back(PlaceOf(id));
  return route;
}

RoutePlaces Backwards(RoutePlaces route) {
  std::ranges::reverse(route.stops);
  return route;
}

// Ann drives the streets a and b, up a and down b; Bob drives c and d, up c and down d.
std::vector<ShortRoute> TwoDrivers() {
  std::vector<ShortRoute> routes;
  for (int day = 1; day <= 20; ++day) {
    routes.push_back({.day = day, .driver = "ann", .stops = {"a1", "a5", "a9", "b9", "b5", "b1"}});
    routes.push_back({.day = day, .driver = "bob", .stops = {"c2", "c6", "c8", "d8", "d4", "d1"}});
  }
  return routes;
}

RouteHabits Learned(const std::vector<ShortRoute>& routes) {
  return RouteHabits(LearnRouteHabits(HistoryOf(routes), routes.size(), 1));
}

TEST(RouteHabitsTest, FindUsualDirectionsLikely) {
  const RouteHabits habits = Learned(TwoDrivers());
  const RoutePlaces usual = PlacesOf({"a2", "a6", "b7", "b2"});
  EXPECT_GT(habits.DirectionLogOdds(usual, habits.DriverOf("ann")), 0.5);
  EXPECT_LT(habits.DirectionLogOdds(Backwards(usual), habits.DriverOf("ann")), -0.5);
}

TEST(RouteHabitsTest, KnowTheDirectionOfEachDriver) {
  // Both drive the same streets, in turns that differ.
  std::vector<ShortRoute> routes;
  for (int day = 1; day <= 20; ++day) {
    const bool up = day % 2 == 0;
    routes.push_back({.day = day,
                      .driver = "ann",
                      .stops = up ? std::vector<std::string>{"a1", "a9", "b9", "b1"}
                                  : std::vector<std::string>{"c1", "c9", "d9", "d1"}});
    routes.push_back({.day = day,
                      .driver = "bob",
                      .stops = up ? std::vector<std::string>{"d1", "d9", "c9", "c1"}
                                  : std::vector<std::string>{"b1", "b9", "a9", "a1"}});
  }
  const RouteHabits habits = Learned(routes);
  const RoutePlaces route = PlacesOf({"a2", "a8", "b8", "b2"});
  EXPECT_GT(habits.DirectionLogOdds(route, habits.DriverOf("ann")), 0.2);
  EXPECT_LT(habits.DirectionLogOdds(route, habits.DriverOf("bob")), -0.2);
}

TEST(RouteHabitsTest, HaveOppositeOddsForOppositeDirections) {
  const RouteHabits habits = Learned(TwoDrivers());
  for (uint64_t seed = 0; seed < 50; ++seed) {
    CounterRandom random(seed);
    RoutePlaces route = {.depot = {.x = 3, .y = 4}};
    for (int64_t i = random.UniformInt(1, 9); i > 0; --i) {
      route.stops.push_back({10 * random.UniformDouble(), 30 * random.UniformDouble()});
    }
    const auto driver = static_cast<int32_t>(random.UniformInt(-1, 1));
    EXPECT_NEAR(habits.DirectionLogOdds(route, driver),
                -habits.DirectionLogOdds(Backwards(route), driver), 1e-9);
  }
}

TEST(RouteHabitsTest, KnowWhereDriversStop) {
  const RouteHabits habits = Learned(TwoDrivers());
  const auto ann = static_cast<size_t>(habits.DriverOf("ann"));
  const auto bob = static_cast<size_t>(habits.DriverOf("bob"));
  std::vector<double> logs = habits.DriverLogLikelihoods(PlacesOf({"a3", "b4"}));
  EXPECT_GT(logs[ann], logs[bob] + 1);
  logs = habits.DriverLogLikelihoods(PlacesOf({"c3", "d4"}));
  EXPECT_GT(logs[bob], logs[ann] + 1);
}

TEST(RouteHabitsTest, ReadNoLaterRoutes) {
  std::vector<ShortRoute> routes = TwoDrivers();
  const size_t known = routes.size();
  routes.push_back({.day = 25, .driver = "eve", .stops = {"e1", "e2"}});
  const RouteHabits habits(LearnRouteHabits(HistoryOf(routes), known, 1));
  EXPECT_EQ(habits.DriverOf("eve"), -1);
  EXPECT_EQ(habits.tables().weights, Learned(TwoDrivers()).tables().weights);
}

TEST(RouteHabitsTest, KnowNothingWithoutPositions) {
  const auto history = ParseRouteHistory(
      R"({"day": "2026-03-02", "driver": "ann", "stops": [{"id": "b"}, {"id": "a"}]})", "past");
  const RouteHabits habits(LearnRouteHabits(*history, 1, 1));
  EXPECT_FALSE(habits.any());
  EXPECT_EQ(habits.DriverOf("ann"), -1);
  EXPECT_THAT(habits.DriverLogLikelihoods(PlacesOf({"a1"})), IsEmpty());
}

TEST(RouteHabitsTest, MeasureLongitudeAndLatitudeInMetres) {
  // The same streets around a place in the north, where a degree of longitude is short.
  RouteHistory history = HistoryOf(TwoDrivers());
  history.coordinates = CoordinateSystem::kLonLat;
  const auto move = [](Position& place) {
    place = {.x = 10 + 0.02 * place.x, .y = 60 + 0.001 * place.y};
  };
  for (PastRoute& route : history.routes) {
    move(*route.depot);
    for (PastStop& stop : route.stops) move(*stop.position);
  }
  const RouteHabits habits(LearnRouteHabits(history, history.routes.size(), 1));
  RoutePlaces usual = PlacesOf({"a2", "a6", "b7", "b2"});
  move(usual.depot);
  for (Position& stop : usual.stops) move(stop);
  EXPECT_GT(habits.DirectionLogOdds(usual, habits.DriverOf("ann")), 0.5);
  // Streets are 9 houses of 1.1 km long.
  EXPECT_GT(habits.tables().radius, 1'000);
  EXPECT_LT(habits.tables().radius, 11'000);
}

}  // namespace
}  // namespace vrp
