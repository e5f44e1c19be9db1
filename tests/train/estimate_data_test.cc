// Tests the instances, labels and statistics from which estimate models learn, and the validation.
#include "core/train/estimate/estimate_data.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/weights/flat_parameters.h"
#include "core/search/search.h"
#include "core/train/estimate/estimate_validator.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

TEST(EstimateInstancesTest, AreFeasibleAndVaried) {
  const EstimateDraws draws = {.min_customers = 10, .max_customers = 30, .seed = 7};
  int timed = 0;
  for (int64_t i = 0; i < 100; ++i) {
    const auto instance = DrawEstimateInstance(draws, i);
    ASSERT_TRUE(instance.ok()) << instance.status();
    Subproblem problem;
    EXPECT_TRUE(problem.ChooseAll(*instance).ok());
    timed += instance->has_windows();
    EXPECT_EQ(instance->data(), DrawEstimateInstance(draws, i)->data());
    const auto smaller = WithoutLastCustomer(*instance);
    ASSERT_TRUE(smaller.ok()) << smaller.status();
    EXPECT_EQ(smaller->num_customers(), instance->num_customers() - 1);
  }
  EXPECT_GT(timed, 30);
  EXPECT_LT(timed, 70);
}

TEST(EstimateInstancesTest, SomeHaveLongRoutes) {
  const EstimateDraws plain = {.min_customers = 20, .max_customers = 60, .seed = 7};
  EstimateDraws draws = plain;
  draws.long_routes = 0.5;
  int64_t with_long = 0;
  double longest = 0;
  for (int64_t i = 0; i < 8 * kDrawnAlike; ++i) {
    const auto instance = DrawEstimateInstance(draws, i);
    ASSERT_TRUE(instance.ok()) << instance.status();
    Subproblem problem;
    EXPECT_TRUE(problem.ChooseAll(*instance).ok());
    if (!HasLongRoutes(draws, i)) {
      EXPECT_EQ(instance->data(), DrawEstimateInstance(plain, i)->data());
      continue;
    }
    ++with_long;
    double demand = 0;
    for (NodeIndex k = 1; k < instance->num_nodes(); ++k) demand += instance->demand(k);
    EXPECT_LT(demand / instance->capacity(), instance->num_customers() / 19.0);
    if (instance->has_windows()) longest = std::max(longest, instance->window(0).close);
  }
  EXPECT_GT(with_long, kDrawnAlike);
  EXPECT_LT(with_long, 7 * kDrawnAlike);
  EXPECT_GT(longest, 4 * 480);
}

TEST(EstimateLabelsTest, KeepsThoseWithoutLongRoutesWhenTheShareChanges) {
  const test::TempFolder folder;
  CpuPool pool(1);
  LabelTask task = {.draws = {.min_customers = 4, .max_customers = 6, .seed = 7},
                    .instances = 8 * kDrawnAlike,
                    .iterations = 1};
  const LabelSurroundings surroundings = {.folder = folder.path(), .pool = &pool};
  ASSERT_TRUE(MakeEstimateLabels(task, surroundings).ok());
  task.draws.long_routes = 0.5;
  int64_t kept = 0;
  for (int64_t i = 0; i < task.instances; ++i) kept += HasLongRoutes(task.draws, i) ? 0 : 1;
  EXPECT_EQ(MakeEstimateLabels(task, surroundings)->found, kept);
  EXPECT_EQ(MakeEstimateLabels(task, surroundings)->found, task.instances);
}

TEST(EstimateDataTest, KnowsTheTimesOfTheTraining) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const LabelTask task = {
      .draws = {.min_customers = 20, .max_customers = 40, .windows = 1, .seed = 7},
      .instances = 192,
      .iterations = 0,
      .seconds = 1e-6};
  const auto labels = MakeEstimateLabels(task, {.folder = folder.path(), .pool = &pool});
  ASSERT_TRUE(labels.ok()) << labels.status();
  const auto statistics = MeasureInstances(task, labels->labels, pool, {});
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  const auto distance = [&](InstanceData data) {
    Subproblem problem;
    EXPECT_TRUE(problem.ChooseAll(*Instance::Create(std::move(data))).ok());
    EstimateFeatures features;
    features.Compute(problem, false);
    return statistics->times.Distance(statistics->Normalised(features.globals()));
  };
  EstimateDraws fresh = task.draws;
  fresh.seed = 8;
  int known = 0;
  for (int64_t i = 0; i < 50; ++i) {
    InstanceData data = DrawEstimateInstance(fresh, i)->data();
    known += distance(data) <= static_cast<double>(statistics->times.limit);
    // A shift ten times as long, with windows ten times as wide.
    for (TimeWindow& window : data.windows) window.close *= 10;
    EXPECT_GT(distance(data), static_cast<double>(statistics->times.limit)) << i;
  }
  EXPECT_GE(known, 45);
}

TEST(EstimateLabelsTest, PairsDifferByOneCustomer) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const LabelTask task = {.draws = {.min_customers = 5, .max_customers = 15, .seed = 3},
                          .instances = 40,
                          .pairs = 0.5,
                          .iterations = 1};
  const auto labels = MakeEstimateLabels(task, {.folder = folder.path(), .pool = &pool});
  ASSERT_TRUE(labels.ok()) << labels.status();
  int64_t paired = 0;
  for (int64_t i = 0; i < 40; ++i) {
    const EstimateLabel& label = labels->labels[static_cast<size_t>(i)];
    EXPECT_EQ(label.paired, IsPaired(task, i));
    if (!label.paired) continue;
    ++paired;
    EXPECT_LE(label.cost_without, label.cost * (1 + 1e-9)) << i;
    // Never worse than what the search finds by itself.
    const Instance smaller = *WithoutLastCustomer(*DrawEstimateInstance(task.draws, i));
    SearchOptions options;
    options.max_iterations = task.iterations * smaller.num_customers();
    EXPECT_LE(label.cost_without, Search(smaller, options)->cost * (1 + 1e-9)) << i;
  }
  EXPECT_GT(paired, 10);
}

TEST(EstimateValidatorTest, CorrectsWhatAllLabelsHaveInCommon) {
  const test::TempFolder folder;
  CpuPool pool(1);
  const LabelTask task = {.draws = {.min_customers = 5, .max_customers = 15, .seed = 3},
                          .instances = 96,
                          .iterations = 5};
  auto labels = MakeEstimateLabels(task, {.folder = folder.path(), .pool = &pool});
  ASSERT_TRUE(labels.ok()) << labels.status();
  const EstimateNetworkOptions options = {.layers = 0, .hidden = 4};
  const auto estimator = CostEstimator::Create(options);
  ASSERT_TRUE(estimator.ok()) << estimator.status();
  EstimateStatistics statistics = *MeasureInstances(task, labels->labels, pool, {});
  FlatParameters parameters(EstimateLayout(options), 1);
  PutStatistics(statistics, parameters.values());
  (*estimator)->SetParameters(std::as_const(parameters).values());
  const auto plain = EstimateValidator::Create(task, labels->labels, 0.9, pool);
  for (EstimateLabel& label : labels->labels) label.cost *= 1.5;
  const auto higher = EstimateValidator::Create(task, labels->labels, 0.9, pool);
  ASSERT_TRUE(plain.ok() && higher.ok());
  const double before = plain->Validate(**estimator, statistics)->error;
  const double correction = statistics.Correction(10, false);
  EXPECT_NEAR(higher->Validate(**estimator, statistics)->error, before, 1e-5);
  EXPECT_NEAR(statistics.Correction(10, false), correction - std::log(1.5), 1e-5);
  EXPECT_NEAR(higher->reference(), plain->reference(), 1e-5);
}

TEST(ConformalQuantileTest, CoversTheShareOfNewValues) {
  EXPECT_EQ(ConformalQuantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(ConformalQuantile({3, 1, 2}, 0.9), 3);
  EXPECT_EQ(ConformalQuantile({}, 0.9), 1);
}

}  // namespace
}  // namespace vrp
