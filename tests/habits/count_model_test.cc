#include "core/habits/counts/count_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/habits/counts/choose_parameters.h"
#include "core/habits/counts/count_legs.h"
#include "core/habits/counts/zones.h"
#include "core/habits/evaluation.h"
#include "tests/habits/habits_testing.h"

namespace vrp {
namespace {

using test::HistoryOf;
using test::ShortRoute;
using test::StopsOf;

constexpr CountParameters kPlainCounts = {.half_life = 0, .availability = 1e6};

CountModel ModelOf(const std::vector<ShortRoute>& routes, const CountParameters& parameters = {},
                   int32_t zones = 3) {
  const RouteHistory history = HistoryOf(routes);
  return CountModel(LegCounter(history, history.routes.size(), zones, 1).Count(parameters));
}

// Returns the index of the most likely stop after `route`, among those not visited.
size_t Likeliest(const CountModel& model, const std::vector<std::string>& ids,
                 std::string_view driver, std::vector<int32_t> route) {
  const std::vector<HabitStop> stops = StopsOf(ids);
  const std::vector<float> logs = model.NextStopLogProbabilities(stops, driver, route);
  return static_cast<size_t>(std::max_element(logs.begin() + 1, logs.end()) - logs.begin());
}

std::vector<ShortRoute> Repeat(ShortRoute route, int days) {
  std::vector<ShortRoute> routes;
  for (int day = 1; day <= days; ++day) {
    route.day = day;
    routes.push_back(route);
  }
  return routes;
}

TEST(CountModelTest, GivesProbabilitiesOfTodaysStops) {
  const CountModel model = ModelOf(Repeat({.driver = "ann", .stops = {"a1", "b2", "a3"}}, 5));
  for (const std::string driver : {"ann", "unknown", ""}) {
    const std::vector<HabitStop> stops = StopsOf({"a1", "b2", "a3", "c9", "a1"});
    const std::vector<float> logs = model.EdgeLogProbabilities(stops, driver);
    ASSERT_EQ(logs.size(), 36u);
    for (size_t i = 0; i < 6; ++i) {
      double sum = 0;
      for (size_t j = 0; j < 6; ++j) {
        EXPECT_TRUE(std::isfinite(logs[i * 6 + j]));
        if (i != j) sum += std::exp(logs[i * 6 + j]);
      }
      EXPECT_NEAR(sum, 1, 1e-5);
      EXPECT_EQ(logs[i * 6 + i], 0);
    }
  }
}

TEST(CountModelTest, ExcludesVisitedStopsFromTheNextOne) {
  const CountModel model = ModelOf(Repeat({.stops = {"a1", "b2", "a3"}}, 5));
  const std::vector<HabitStop> stops = StopsOf({"a1", "b2", "a3"});
  const std::vector<int32_t> route = {3, 1};
  const std::vector<float> logs = model.NextStopLogProbabilities(stops, "", route);
  EXPECT_EQ(logs[1], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(logs[3], -std::numeric_limits<float>::infinity());
  EXPECT_NEAR(std::exp(logs[0]) + std::exp(logs[2]), 1, 1e-5);
  const std::vector<float> begin = model.NextStopLogProbabilities(stops, "", {});
  EXPECT_EQ(begin[0], -std::numeric_limits<float>::infinity());
  EXPECT_NEAR(std::exp(begin[1]) + std::exp(begin[2]) + std::exp(begin[3]), 1, 1e-5);
}

TEST(CountModelTest, FollowsTheStopsThatFollowedBefore) {
  // The nearest stop of a1 is a2, but routes go on to b9.
  const CountModel model = ModelOf(Repeat({.stops = {"a1", "b9", "a2"}}, 10));
  EXPECT_EQ(Likeliest(model, {"a1", "a2", "b9"}, "", {1}), 3u);
}

TEST(CountModelTest, IgnoresStopsThatAreAbsentToday) {
  const CountModel model = ModelOf(Repeat({.stops = {"a1", "b9", "a2", "b1"}}, 10));
  // Without b9, the legs to it say nothing, and the nearest stop comes next.
  const std::vector<HabitStop> stops = StopsOf({"a1", "a2", "b1"});
  const std::vector<int32_t> route = {1};
  const std::vector<float> logs = model.NextStopLogProbabilities(stops, "", route);
  EXPECT_NEAR(std::exp(logs[0]) + std::exp(logs[2]) + std::exp(logs[3]), 1, 1e-5);
}

TEST(CountModelTest, KnowsTheHabitsOfEachDriver) {
  std::vector<ShortRoute> routes;
  for (int day = 1; day <= 10; ++day) {
    routes.push_back({.day = day, .driver = "ann", .stops = {"a1", "b1", "c1"}});
    routes.push_back({.day = day, .driver = "bob", .stops = {"a1", "c1", "b1"}});
  }
  const CountModel model = ModelOf(routes);
  EXPECT_TRUE(model.KnowsDriver("ann"));
  EXPECT_FALSE(model.KnowsDriver("eve"));
  EXPECT_FALSE(model.KnowsDriver(""));
  EXPECT_EQ(Likeliest(model, {"a1", "b1", "c1"}, "ann", {1}), 2u);
  EXPECT_EQ(Likeliest(model, {"a1", "b1", "c1"}, "bob", {1}), 3u);
}

TEST(CountModelTest, AnUnknownDriverStandsForAllDrivers) {
  std::vector<ShortRoute> routes = Repeat({.driver = "ann", .stops = {"a1", "b1"}}, 5);
  const CountModel model = ModelOf(routes);
  const std::vector<HabitStop> stops = StopsOf({"a1", "b1"});
  EXPECT_EQ(model.EdgeLogProbabilities(stops, "eve"), model.EdgeLogProbabilities(stops, ""));
  EXPECT_NE(model.EdgeLogProbabilities(stops, "eve"), model.EdgeLogProbabilities(stops, "ann"));
}

TEST(CountModelTest, ForgetsOldRoutesByHalfLives) {
  std::vector<ShortRoute> routes;
  for (int i = 0; i < 6; ++i) routes.push_back({.day = 1, .stops = {"a1", "b1", "c1"}});
  for (int i = 0; i < 3; ++i) routes.push_back({.day = 31, .stops = {"a1", "c1", "b1"}});
  const CountModel remembers = ModelOf(routes, {.half_life = 0});
  const CountModel forgets = ModelOf(routes, {.half_life = 5});
  EXPECT_EQ(Likeliest(remembers, {"a1", "b1", "c1"}, "", {1}), 2u);
  EXPECT_EQ(Likeliest(forgets, {"a1", "b1", "c1"}, "", {1}), 3u);
}

TEST(CountModelTest, SendsNewStopsToTheZonesThatFollowed) {
  // After street a comes street c, although b is nearer.
  const std::vector<ShortRoute> routes =
      Repeat({.stops = {"a1", "a2", "c1", "c2", "b1", "b2"}}, 10);
  const CountModel model = ModelOf(routes, {.distance_power = 1, .zone_strength = 1});
  EXPECT_EQ(Likeliest(model, {"a9", "b9", "c9"}, "", {1}), 3u);
}

TEST(CountModelTest, PrefersNearStopsWithoutAnyHabit) {
  const CountModel model = ModelOf(Repeat({.stops = {"h1"}}, 1), {}, 0);
  EXPECT_EQ(Likeliest(model, {"a1", "c1", "a2"}, "", {1}), 3u);
}

TEST(CountModelTest, TreatsStopsWithoutAPositionAsTheMeanOfTheOthers) {
  const CountModel model = ModelOf(Repeat({.stops = {"h1"}}, 1), {}, 0);
  const std::vector<HabitStop> stops = {{.id = {}, .position = Position{}},
                                        {.id = "n"},
                                        {.id = "m", .position = Position{.x = 1, .y = 1}},
                                        {.id = "o", .position = Position{.x = 9, .y = 9}}};
  const std::vector<float> logs = model.NextStopLogProbabilities(stops, "", {});
  EXPECT_LT(logs[1], logs[2]);
  EXPECT_GT(logs[1], logs[3]);
  const std::vector<float> edges = model.EdgeLogProbabilities(stops, "");
  EXPECT_TRUE(
      std::all_of(edges.begin(), edges.end(), [](float log) { return std::isfinite(log); }));
}

TEST(CountModelTest, UsesThePositionsOfPastRoutes) {
  const CountModel model = ModelOf(Repeat({.stops = {"a1", "a2", "h9"}}, 1),
                                   {.zone_strength = 1e9, .stop_strength = 1e9}, 0);
  const std::vector<HabitStop> stops = {{.id = {}}, {.id = "a1"}, {.id = "h9"}, {.id = "a2"}};
  const std::vector<int32_t> route = {1};
  const std::vector<float> logs = model.NextStopLogProbabilities(stops, "", route);
  EXPECT_GT(logs[3], logs[2]);
}

TEST(LegCounterTest, CorrectsForStopsThatAreRarelyThere) {
  // Whenever b1 is there, it comes after a1; it is there on two days of 20.
  std::vector<ShortRoute> routes = Repeat({.stops = {"a1", "c1"}}, 18);
  routes.push_back({.day = 19, .stops = {"a1", "b1", "c1"}});
  routes.push_back({.day = 20, .stops = {"a1", "b1", "c1"}});
  const CountModel plain = ModelOf(routes, kPlainCounts, 0);
  const CountModel corrected = ModelOf(routes, {.availability = 0.1}, 0);
  EXPECT_EQ(Likeliest(plain, {"a1", "b1", "c1"}, "", {1}), 3u);
  EXPECT_EQ(Likeliest(corrected, {"a1", "b1", "c1"}, "", {1}), 2u);
}

TEST(LegCounterTest, CountsLegsOfRoutesThatAreManyHalfLivesOld) {
  for (const double half_life : {0.2, 0.01}) {  // weights of 2^-135, and of less than any number
    const CountModel model =
        ModelOf({{.day = 1, .stops = {"a1", "b1"}}, {.day = 28, .stops = {"a1", "c1"}}},
                {.half_life = half_life, .availability = 0});
    for (const float count : model.tables().legs.counts) {
      EXPECT_TRUE(count >= 0 && count <= 1) << count << " with half-life " << half_life;
    }
    for (const float log : model.EdgeLogProbabilities(StopsOf({"a1", "b1", "c1"}), "")) {
      EXPECT_TRUE(std::isfinite(log)) << "half-life " << half_life;
    }
  }
}

TEST(LegCounterTest, CountsOnlyTheFirstRoutes) {
  const RouteHistory history = HistoryOf(
      {{.day = 1, .stops = {"a1", "b1"}}, {.day = 2, .driver = "ann", .stops = {"b1", "a1"}}});
  const CountTables tables = LegCounter(history, 1, 0, 1).Count(kPlainCounts);
  EXPECT_EQ(tables.legs.nodes, std::vector<int32_t>({0, 1, 2}));
  EXPECT_EQ(tables.legs.to, std::vector<int32_t>({1, 2, 0}));
  EXPECT_EQ(tables.legs.counts, std::vector<float>({1, 1, 1}));
  EXPECT_TRUE(tables.drivers.empty()) << "ann's first route is not counted";
}

TEST(FindZonesTest, FindsSeparateClusters) {
  std::vector<SpacePoint> points;
  CounterRandom random(3);
  for (int i = 0; i < 90; ++i) {
    points.push_back({100.0 * (i % 3) + random.UniformDouble(), random.UniformDouble(), 0});
  }
  const std::vector<SpacePoint> centres = FindZones(points, 3, 1);
  ASSERT_EQ(centres.size(), 3u);
  EXPECT_EQ(FindZones(points, 3, 1), centres);
  for (int i = 0; i < 90; ++i) {
    EXPECT_EQ(ZoneOf(points[static_cast<size_t>(i)], centres),
              ZoneOf(points[static_cast<size_t>(i % 3)], centres));
  }
  EXPECT_EQ(FindZones(std::vector<SpacePoint>(5, {1, 2, 0}), 3, 1).size(), 1u);
  EXPECT_TRUE(FindZones({}, 3, 1).empty());
}

TEST(PointOfTest, MeasuresLongitudesInMetres) {
  const SpacePoint a = PointOf({.x = 13.4, .y = 52.5}, CoordinateSystem::kLonLat);
  const SpacePoint b = PointOf({.x = 13.5, .y = 52.5}, CoordinateSystem::kLonLat);
  EXPECT_NEAR(PointDistance(a, b),
              GreatCircleDistance(Metric::kExact, {.x = 13.4, .y = 52.5}, {.x = 13.5, .y = 52.5}),
              0.01);
}

// Returns 20 days of routes in which each driver has an order of streets.
std::vector<ShortRoute> DriversWithHabits() {
  std::vector<ShortRoute> routes;
  CounterRandom random(7);
  for (int day = 1; day <= 20; ++day) {
    for (const std::string order : {"acb", "cab", "bca"}) {
      ShortRoute route = {.day = day, .driver = order};
      for (const char street : order) {
        for (int house = 1; house <= 4; ++house) {
          if (random.UniformDouble() < 0.7) route.stops.push_back({street, char('0' + house)});
        }
      }
      if (!route.stops.empty()) routes.push_back(route);
    }
  }
  return routes;
}

TEST(ParameterSearchTest, ImprovesTheLikelihoodOfHeldOutRoutes) {
  const RouteHistory history = HistoryOf(DriversWithHabits());
  const size_t held_out = FirstRouteOfLastDays(history, 4);
  const std::vector<HabitCase> cases = CasesOf(history, held_out);
  const LegCounter counter(history, held_out, 3, 1);
  const ParameterCandidates candidates = CandidatesWith({0, 10});
  CpuPool pool(2);
  ParameterSearch search(counter, cases, candidates, pool);
  const double before = search.best_log_probability();
  int64_t tries = 0;
  const auto changed = search.Pass([&] {
    ++tries;
    return absl::OkStatus();
  });
  ASSERT_TRUE(changed.ok());
  EXPECT_TRUE(*changed);
  EXPECT_EQ(tries, candidates.TriesPerPass());
  EXPECT_GT(search.best_log_probability(), before);
  const CountModel model(counter.Count(search.best()));
  const HabitScore score = EvaluateHabits(model, cases, history.coordinates, pool);
  EXPECT_NEAR(score.mean_log_probability, search.best_log_probability(), 1e-6);
  EXPECT_GT(score.next_stop_accuracy, 0.9);
}

TEST(ParameterSearchTest, StopsWithTheErrorOfItsCaller) {
  const RouteHistory history = HistoryOf(DriversWithHabits());
  const size_t held_out = FirstRouteOfLastDays(history, 4);
  const std::vector<HabitCase> cases = CasesOf(history, held_out);
  const LegCounter counter(history, held_out, 3, 1);
  const ParameterCandidates candidates = CandidatesWith({0});
  CpuPool pool(1);
  ParameterSearch search(counter, cases, candidates, pool);
  EXPECT_EQ(search.Pass([] { return absl::CancelledError("enough"); }).status(),
            absl::CancelledError("enough"));
}

}  // namespace
}  // namespace vrp
