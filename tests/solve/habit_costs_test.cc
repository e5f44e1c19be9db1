#include "core/solve/habit_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/solve/solve_limits.h"
#include "tests/habits/fake_habit_model.h"
#include "tests/habits/habits_testing.h"

namespace vrp {
namespace {

using test::FakeHabitModel;
using test::HistoryOf;
using test::ShortRoute;
using testing::HasSubstr;

// Ann zigzags along a street, at twice the distance of a plan without habits.
ShortRoute Zigzag(int day) {
  return {.day = day, .driver = "ann", .stops = {"a9", "a1", "a8", "a2"}};
}

FakeHabitModel ModelOfAnn() {
  return FakeHabitModel(
      {{"ann", {{"depot 0", "a9"}, {"a9", "a1"}, {"a1", "a8"}, {"a8", "a2"}, {"a2", "depot 0"}}}});
}

HabitCostEvaluation::GuideFn GuidesOf(const HabitModel& model) {
  return [&model](const Instance& instance, double weight) {
    return HabitGuide::Create(instance, model, nullptr, weight);
  };
}

HabitCosts CostsOf(const HabitModel& model, const RouteHistory& history, size_t first,
                   const HabitCostOptions& options = {}) {
  const auto evaluation = HabitCostEvaluation::Create(GuidesOf(model), history, first, options);
  EXPECT_TRUE(evaluation.ok()) << evaluation.status();
  while (!(*evaluation)->finished()) {
    const int64_t before = (*evaluation)->done();
    EXPECT_TRUE((*evaluation)->Step().ok());
    EXPECT_GT((*evaluation)->done(), before);
    EXPECT_LE((*evaluation)->done(), before + options.threads);
  }
  const absl::StatusOr<HabitCosts> result = (*evaluation)->Result();
  EXPECT_TRUE(result.ok()) << result.status();
  return *result;
}

std::string RefusalOf(const RouteHistory& history, const HabitCostOptions& options = {}) {
  const FakeHabitModel model = ModelOfAnn();
  const auto evaluation = HabitCostEvaluation::Create(GuidesOf(model), history, 0, options);
  EXPECT_TRUE(absl::IsInvalidArgument(evaluation.status())) << evaluation.status();
  return std::string(evaluation.status().message());
}

TEST(HabitCostsTest, MeasuresWhatAStrongHabitCosts) {
  const RouteHistory history = HistoryOf({Zigzag(1), Zigzag(2), Zigzag(3)});
  const HabitCosts costs = CostsOf(ModelOfAnn(), history, 1, {.weights = {3}, .threads = 2});
  EXPECT_EQ(costs.days, 2);
  EXPECT_EQ(costs.skipped_days, 0);
  EXPECT_EQ(costs.late_plans, 0);
  ASSERT_EQ(costs.rows.size(), 2);
  EXPECT_EQ(costs.rows[0].weight, 0);
  EXPECT_LT(costs.rows[0].shares.either_way, 1);
  EXPECT_EQ(costs.rows[0].extra_distance, 0);
  EXPECT_EQ(costs.rows[1].weight, 3);
  EXPECT_EQ(costs.rows[1].shares.same_way, 1);
  EXPECT_EQ(costs.rows[1].shares.either_way, 1);
  EXPECT_GT(costs.rows[1].extra_distance, 0.2);
  EXPECT_EQ(costs.driven.shares.same_way, 1);
  EXPECT_DOUBLE_EQ(costs.driven.extra_distance, costs.rows[1].extra_distance);
  EXPECT_NEAR(costs.driven.extra_distance_error, 0, 1e-9) << "both days are the same";
}

TEST(HabitCostsTest, PlansWithTheDefaultWeights) {
  const HabitCosts costs = CostsOf(ModelOfAnn(), HistoryOf({Zigzag(1)}), 0);
  ASSERT_EQ(costs.rows.size(), 3);
  EXPECT_EQ(costs.rows[1].weight, 0.1);
  EXPECT_EQ(costs.rows[2].weight, 0.3);
}

TEST(HabitCostsTest, TakesTheFirstDays) {
  const RouteHistory history = HistoryOf({Zigzag(1), Zigzag(2), Zigzag(3)});
  EXPECT_EQ(CostsOf(ModelOfAnn(), history, 0, {.days = 2}).days, 2);
  EXPECT_EQ(CostsOf(ModelOfAnn(), history, 0, {.days = 9}).days, 3);
}

TEST(HabitCostsTest, GivesTheStandardErrorsOfDifferences) {
  const RouteHistory history =
      HistoryOf({Zigzag(1), {.day = 2, .driver = "ann", .stops = {"a1", "a2", "a8", "a9"}}});
  const HabitCosts costs = CostsOf(ModelOfAnn(), history, 0, {.weights = {3}});
  EXPECT_GT(costs.rows[1].gain_errors.same_way, 0);
  EXPECT_GT(costs.driven.extra_distance_error, 0);
  EXPECT_EQ(costs.rows[0].gain_errors.same_way, 0);
  EXPECT_EQ(costs.rows[0].extra_distance_error, 0);
}

TEST(HabitCostsTest, SkipsDaysWithoutPositions) {
  std::string text = R"({"day": "2026-02-01", "driver": "ann", "stops": [{"id": "new"}]})";
  text += "\n" + RouteText(Zigzag(1));
  const RouteHistory history = *ParseRouteHistory(text, "past.jsonl");
  const HabitCosts costs = CostsOf(ModelOfAnn(), history, 0);
  EXPECT_EQ(costs.days, 1);
  EXPECT_EQ(costs.skipped_days, 1);
  EXPECT_THAT(costs.skip_reason, HasSubstr("2026-02-01: no depot is known"));
}

TEST(HabitCostsTest, RefusesAHistoryWithoutPositions) {
  EXPECT_THAT(
      RefusalOf(*ParseRouteHistory(
          R"({"day": "2026-03-01", "depot": {"x": 0, "y": 0}, "stops": [{"id": "a"}]})", "")),
      HasSubstr("2026-03-01: stop \"a\" has no position; give it x and y"));
}

TEST(HabitCostsTest, RefusesDaysWithoutDistance) {
  const RouteHistory history = *ParseRouteHistory(
      R"({"day": "2026-03-01", "depot": {"x": 1, "y": 1}, "stops": [{"x": 1, "y": 1}]})", "");
  const FakeHabitModel model;
  const auto evaluation = HabitCostEvaluation::Create(GuidesOf(model), history, 0, {});
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  while (!(*evaluation)->finished()) ASSERT_TRUE((*evaluation)->Step().ok());
  const absl::Status status = (*evaluation)->Result().status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("its stops are all at the depot"));
}

TEST(HabitCostsTest, CountsPlansThatTheBudgetEnded) {
  HabitCostOptions options{.weights = {1}, .max_iterations = kMaxHabitCostIterations};
  options.budget = kMinBudget;
  ShortRoute route{.day = 1};
  for (const char street : {'a', 'b', 'c', 'd'}) {
    for (int house = 0; house < 10; ++house)
      route.stops.push_back(Concat(std::string(1, street), house));
  }
  EXPECT_EQ(CostsOf(ModelOfAnn(), HistoryOf({route}), 0, options).late_plans, 2);
}

TEST(HabitCostsTest, MakesFewerPlansAtOnceOfLargeDays) {
  std::string stops;
  for (int i = 0; i < 1'900; ++i) {
    stops += Concat(i > 0 ? ", " : "", R"({"x": )", i % 40, R"(, "y": )", i / 40, "}");
  }
  const RouteHistory history = *ParseRouteHistory(
      R"({"day": "2026-03-01", "depot": {"x": 0, "y": 0}, "stops": [)" + stops + "]}", "past");
  const FakeHabitModel model;
  const auto evaluation =
      HabitCostEvaluation::Create(GuidesOf(model), history, 0, {.max_iterations = 1, .threads = 2});
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  ASSERT_TRUE((*evaluation)->Step().ok());
  EXPECT_EQ((*evaluation)->done(), 1);
}

TEST(HabitCostsTest, NamesTheOptionThatIsOutOfRange) {
  const RouteHistory history = HistoryOf({Zigzag(1)});
  EXPECT_THAT(RefusalOf(history, {.days = 0}), HasSubstr("max_days: got 0, wanted 1 to 1000"));
  EXPECT_THAT(RefusalOf(history, {.weights = {}}), HasSubstr("weights: got 0, wanted 1 to 8"));
  EXPECT_THAT(RefusalOf(history, {.weights = {1, 0}}),
              HasSubstr("weights[1]: got 0, wanted above 0, to 10"));
  EXPECT_THAT(RefusalOf(history, {.weights = {10.5}}), HasSubstr("weights[0]: got 10.5"));
  EXPECT_THAT(RefusalOf(history, {.max_iterations = 0}), HasSubstr("max_iterations: got 0"));
  EXPECT_THAT(RefusalOf(history, {.budget = absl::Minutes(2)}), HasSubstr("budget: got 2m"));
}

}  // namespace
}  // namespace vrp
