#include "core/habits/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tests/habits/habits_testing.h"

namespace vrp {
namespace {

using test::HistoryOf;

// Goes to the stops in the order of their ids, or in the opposite one.
class AlphabeticHabit final : public HabitModel {
 public:
  explicit AlphabeticHabit(bool backwards = false) : backwards_(backwards) {}

  bool KnowsDriver(std::string_view) const override { return true; }
  bool KnowsStop(std::string_view id) const override { return id < "c"; }
  std::vector<float> EdgeLogProbabilities(std::span<const HabitStop> stops,
                                          std::string_view) const override {
    return std::vector<float>(stops.size() * stops.size(), 0);
  }
  std::vector<float> NextStopLogProbabilities(std::span<const HabitStop> stops, std::string_view,
                                              std::span<const int32_t> route) const override {
    std::vector<float> logs(stops.size(), std::log(0.1F));
    size_t next = 0;
    for (size_t i = 0; i < stops.size(); ++i) {
      if (std::find(route.begin(), route.end(), static_cast<int32_t>(i)) != route.end()) {
        logs[i] = -std::numeric_limits<float>::infinity();
      } else if (i > 0 && (next == 0 || (stops[i].id < stops[next].id) != backwards_)) {
        next = i;
      }
    }
    logs[next] = std::log(0.5F);
    return logs;
  }

 private:
  const bool backwards_;
};

TEST(EvaluateHabitsTest, CountsChoicesOfUnknownStopsAlone) {
  const RouteHistory history = HistoryOf({{.day = 1, .stops = {"a1", "c1", "b1", "d1"}}});
  CpuPool pool(1);
  const HabitScore score =
      EvaluateHabits(AlphabeticHabit(), CasesOf(history, 0), history.coordinates, pool);
  EXPECT_EQ(score.choices, 4);
  EXPECT_EQ(score.new_choices, 2);  // c1 and d1, the last stop left
  EXPECT_EQ(score.new_next_stop_accuracy, 0);
  EXPECT_FLOAT_EQ(score.new_mean_log_probability, (std::log(0.1F) + std::log(0.5F)) / 2);
}

TEST(CasesOfTest, HidesTheOrderOfTheRoute) {
  const RouteHistory history =
      HistoryOf({{.day = 1, .stops = {"a1"}},
                 {.day = 2, .driver = "ann", .stops = {"a1", "a2", "a3", "b1", "b2", "b3"}}});
  const std::vector<HabitCase> cases = CasesOf(history, 1);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].driver, "ann");
  ASSERT_EQ(cases[0].stops.size(), 7u);
  EXPECT_EQ(cases[0].stops[0].position, (Position{.x = 0, .y = -5}));
  std::vector<std::string> driven;
  for (const int32_t stop : cases[0].route) {
    driven.emplace_back(cases[0].stops[static_cast<size_t>(stop)].id);
  }
  EXPECT_EQ(driven, std::vector<std::string>({"a1", "a2", "a3", "b1", "b2", "b3"}));
  EXPECT_NE(cases[0].route, std::vector<int32_t>({1, 2, 3, 4, 5, 6}));
}

TEST(RouteSimilarityTest, CountsLegsInTheirDirection) {
  const std::vector<int32_t> driven = {1, 2, 3};
  EXPECT_EQ(RouteSimilarity(driven, driven), 1);
  EXPECT_EQ(RouteSimilarity(driven, std::vector<int32_t>({3, 2, 1})), 0);
  EXPECT_EQ(RouteSimilarity(driven, std::vector<int32_t>({1, 3, 2})), 0.25);
  EXPECT_EQ(RouteSimilarity(driven, std::vector<int32_t>({3, 1, 2})), 0.25);
}

TEST(EvaluateHabitsTest, MeasuresAPerfectAndAWrongModel) {
  const RouteHistory history = HistoryOf(
      {{.day = 1, .stops = {"a1", "a2", "a3", "b1"}}, {.day = 2, .stops = {"a2", "b1", "c1"}}});
  const std::vector<HabitCase> cases = CasesOf(history, 0);
  CpuPool pool(2);
  const HabitScore right =
      EvaluateHabits(AlphabeticHabit(), cases, CoordinateSystem::kPlanar, pool);
  EXPECT_EQ(right.routes, 2);
  EXPECT_EQ(right.choices, 7);
  EXPECT_NEAR(right.mean_log_probability, std::log(0.5), 1e-6);
  EXPECT_EQ(right.next_stop_accuracy, 1);
  EXPECT_EQ(right.route_similarity, 1);
  ASSERT_TRUE(right.length_ratio.has_value());
  EXPECT_DOUBLE_EQ(*right.length_ratio, 1);
  const HabitScore wrong =
      EvaluateHabits(AlphabeticHabit(/*backwards=*/true), cases, CoordinateSystem::kPlanar, pool);
  EXPECT_LT(wrong.mean_log_probability, right.mean_log_probability);
  EXPECT_EQ(wrong.next_stop_accuracy, 0);
  EXPECT_EQ(wrong.route_similarity, 0);
}

TEST(EvaluateHabitsTest, HasNoLengthsWithoutPositions) {
  const auto history = ParseRouteHistory(
      R"({"day": "2026-03-02", "stops": [{"id": "b"}, {"id": "a"}]})", "past.jsonl");
  ASSERT_TRUE(history.ok());
  CpuPool pool(1);
  const HabitScore score =
      EvaluateHabits(AlphabeticHabit(), CasesOf(*history, 0), CoordinateSystem::kPlanar, pool);
  EXPECT_EQ(score.length_ratio, std::nullopt);
  EXPECT_EQ(score.next_stop_accuracy, 0);
}

}  // namespace
}  // namespace vrp
