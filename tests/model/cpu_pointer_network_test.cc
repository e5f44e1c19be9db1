#include "core/model/pointer_network/cpu_pointer_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/model/pointer_network/pointer_architecture.h"
#include "core/problem/checker/checker.h"
#include "tests/model/small_networks.h"
#include "tests/testing/feature_columns.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::ChoicesOf;

const PointerNetworkOptions kSmallPointer = {.hidden = 32, .layers = 2, .dropout = 0.2};

std::vector<Instance> Instances(std::initializer_list<int32_t> sizes, bool windows = false) {
  std::vector<Instance> instances;
  uint64_t seed = 1;
  for (const int32_t size : sizes) {
    auto builder = AnInstance().WithCustomers(size).Seed(seed++).RandomDemands().Capacity(15);
    if (windows) builder.RandomWindows();
    instances.push_back(builder.Build());
  }
  return instances;
}

NetworkBatch Batch(const std::vector<Instance>& instances) {
  return MakeNetworkBatch(instances, NodeOrder::kByAngle);
}

Trajectories RunEngine(const PolicyEngine& engine, const NetworkBatch& batch,
                       const RolloutRequest& request) {
  auto trajectories = engine.Run(batch, request);
  EXPECT_TRUE(trajectories.ok()) << trajectories.status();
  return *std::move(trajectories);
}

// Gives trajectories different weights.
void Weigh(int64_t first, std::span<const double>, std::span<double> weights) {
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = 0.5 + static_cast<double>((first + static_cast<int64_t>(i)) % 3);
  }
}

GradientOutcome ComputeGradient(PolicyEngine& engine, const NetworkBatch& batch,
                                const GradientRequest& request) {
  engine.parameters().TrackGradient();
  std::fill(engine.parameters().gradient().begin(), engine.parameters().gradient().end(), 0.0f);
  auto outcome = engine.AddGradient(batch, request, Weigh);
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return *std::move(outcome);
}

std::vector<float> GradientValues(const PolicyEngine& engine) {
  const auto gradient = engine.parameters().gradient();
  return {gradient.begin(), gradient.end()};
}

class CpuPointerNetworkTest : public testing::TestWithParam<bool> {};

// Compares the norm of each parameter's gradient with the central difference of the loss along that
// gradient. A rollout computes the loss step by step.
void ExpectGradientOfCentralDifferences(const PointerNetworkOptions& options, bool windows) {
  const auto engine = MakeCpuPointerNetwork(options, 3);
  const std::vector<Instance> instances =
      test::WithFeatures(Instances({6, 9, 7, 21}, windows), engine->batch_form().own_columns);
  const NetworkBatch batch = MakeNetworkBatch(instances, engine->batch_form());
  const RolloutRequest sample{.choice = Choice::kSample, .trajectories = 3, .seed = 5};
  const GradientOutcome outcome = ComputeGradient(*engine, batch, {.rollout = sample});
  EXPECT_LT(outcome.pass_difference, 1e-5);
  const std::vector<float> gradient = GradientValues(*engine);
  const auto choices = ChoicesOf(outcome.trajectories);
  const RolloutRequest forcing{.choice = Choice::kForced, .trajectories = 3, .choices = choices};
  const auto loss = [&] {
    EXPECT_TRUE(engine->ParametersChanged().ok());
    const Trajectories forced = RunEngine(*engine, batch, forcing);
    double sum = 0;
    for (size_t row = 0; row < choices.size(); ++row) {
      sum += (0.5 + static_cast<double>(row % 3)) * forced.log_likelihoods[row];
    }
    return sum;
  };
  // The batch is one group, so `loss` uses the same weights as Weigh.
  ASSERT_NEAR(loss(), outcome.loss, 1e-3);
  const ParameterLayout& layout = engine->parameters().layout();
  for (const ParameterShape& shape : layout.shapes()) {
    const int64_t at = layout.Offset(shape.name);
    const int64_t size = ParameterLayout::Elements(shape);
    double norm = 0;
    for (int64_t i = at; i < at + size; ++i) norm += double{gradient[i]} * gradient[i];
    norm = std::sqrt(norm);
    ASSERT_GT(norm, 0) << shape.name;
    const double step = std::min(0.01, 0.05 / norm);
    const auto move = [&](double by) {
      for (int64_t i = at; i < at + size; ++i) {
        engine->parameters().values()[i] += static_cast<float>(by * gradient[i] / norm);
      }
    };
    move(step);
    const double above = loss();
    move(-2 * step);
    const double below = loss();
    move(step);
    EXPECT_NEAR((above - below) / (2 * step), norm, 0.01 * norm + 2e-3) << shape.name;
  }
}

TEST_P(CpuPointerNetworkTest, HasTheGradientOfCentralDifferences) {
  ExpectGradientOfCentralDifferences(kSmallPointer, GetParam());
}

TEST_P(CpuPointerNetworkTest, HasTheGradientOfOwnInputs) {
  PointerNetworkOptions options = kSmallPointer;
  options.inputs = {"wear", "is_visited", "x", "early"};
  ExpectGradientOfCentralDifferences(options, GetParam());
  options.inputs = DefaultInputs(PointerArchitecture());
  for (char name = 'a'; name < 'k'; ++name) options.inputs.emplace_back(1, name);
  ExpectGradientOfCentralDifferences(options, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Windows, CpuPointerNetworkTest, testing::Bool());

TEST(CpuPointerNetworkTest, RefusesForcedChoicesAfterTheEnd) {
  const auto engine = MakeCpuPointerNetwork(kSmallPointer, 1);
  test::ExpectEndOfForcedChoices(*engine,
                                 MakeNetworkBatch(Instances({3, 8}), engine->batch_form()));
}

TEST(CpuPointerNetworkTest, MakesFeasiblePlans) {
  const auto engine = MakeCpuPointerNetwork(kSmallPointer, 1);
  for (const bool windows : {false, true}) {
    const std::vector<Instance> instances = Instances({5, 12, 20, 33}, windows);
    const NetworkBatch batch = Batch(instances);
    const Trajectories sampled =
        RunEngine(*engine, batch, {.choice = Choice::kSample, .trajectories = 4});
    for (int32_t row = 0; row < 16; ++row) {
      const Plan plan = ChoicesToPlan(batch, row / 4, sampled.Choices(row));
      const CheckReport report = CheckPlan(instances[row / 4], plan);
      EXPECT_TRUE(report.feasible);
      EXPECT_NEAR(report.cost, sampled.costs[row], 1e-6);
    }
  }
}

TEST(CpuPointerNetworkTest, RoundsCostsToTheMetricsUnitAsTheCheckerDoes) {
  const auto engine = MakeCpuPointerNetwork(kSmallPointer, 1);
  std::vector<Instance> instances;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    instances.push_back(
        AnInstance().WithCustomers(30).Seed(seed).RandomDemands().As(Metric::kDimacs).Build());
  }
  const NetworkBatch batch = Batch(instances);
  const Trajectories sampled = RunEngine(*engine, batch, {.choice = Choice::kSample});
  for (int32_t b = 0; b < 8; ++b) {
    const Plan plan = ChoicesToPlan(batch, b, sampled.Choices(b));
    EXPECT_EQ(CheckPlan(instances[b], plan).cost, sampled.costs[b]) << b;
  }
}

TEST(CpuPointerNetworkTest, DoesNotDependOnTheRestOfTheBatch) {
  const auto engine = MakeCpuPointerNetwork(kSmallPointer, 1);
  const std::vector<Instance> instances = Instances({9, 30});
  const NetworkBatch both = Batch(instances);
  const NetworkBatch one = Batch({instances[0]});
  const Trajectories of_both = RunEngine(*engine, both, {.choice = Choice::kSample});
  const Trajectories of_one = RunEngine(*engine, one, {.choice = Choice::kSample});
  EXPECT_TRUE(std::ranges::equal(of_both.Choices(0), of_one.Choices(0)));
  EXPECT_NEAR(of_both.log_likelihoods[0], of_one.log_likelihoods[0], 1e-5);
}

TEST(CpuPointerNetworkTest, IsBitwiseReproducibleForAThreadCount) {
  const auto engine = MakeCpuPointerNetwork(kSmallPointer, 1);
  const std::vector<Instance> instances = Instances({9, 30, 12, 7, 22});
  const NetworkBatch batch = Batch(instances);
  CpuPool pool(2);
  const GradientRequest request{
      .rollout = {.choice = Choice::kSample, .trajectories = 2, .pool = &pool}};
  ComputeGradient(*engine, batch, request);
  const std::vector<float> first = GradientValues(*engine);
  ComputeGradient(*engine, batch, request);
  EXPECT_EQ(first, GradientValues(*engine));
}

TEST(CpuPointerNetworkTest, DrawsDropoutByStream) {
  const auto engine = MakeCpuPointerNetwork(kSmallPointer, 1);
  const std::vector<Instance> instances = Instances({9, 14});
  const NetworkBatch batch = Batch(instances);
  const auto choices = ChoicesOf(RunEngine(*engine, batch, {}));
  GradientRequest request{.rollout = {.choice = Choice::kForced, .choices = choices},
                          .dropout = true};
  const double first = ComputeGradient(*engine, batch, request).loss;
  EXPECT_EQ(first, ComputeGradient(*engine, batch, request).loss);
  request.rollout.stream = 9;
  EXPECT_NE(first, ComputeGradient(*engine, batch, request).loss);
  request.dropout = false;
  EXPECT_NE(first, ComputeGradient(*engine, batch, request).loss);
}

TEST(CpuPointerNetworkTest, ReadsOwnChoicesInScheduledSampling) {
  const auto engine = MakeCpuPointerNetwork(kSmallPointer, 1);
  const std::vector<Instance> instances = Instances({9, 14});
  const NetworkBatch batch = Batch(instances);
  const auto choices = ChoicesOf(RunEngine(*engine, batch, {.choice = Choice::kSample}));
  GradientRequest request{.rollout = {.choice = Choice::kForced, .choices = choices}};
  const GradientOutcome forced = ComputeGradient(*engine, batch, request);
  EXPECT_EQ(ChoicesOf(forced.trajectories), choices);
  request.rollout.teacher_forcing = 0;
  const GradientOutcome free = ComputeGradient(*engine, batch, request);
  EXPECT_EQ(ChoicesOf(free.trajectories), choices);
  EXPECT_NE(free.loss, forced.loss);
  EXPECT_LT(free.pass_difference, 1e-5);
}

TEST(CpuPointerNetworkTest, LabelSmoothingLowersTheLossOfGreedyChoices) {
  const auto engine = MakeCpuPointerNetwork(kSmallPointer, 1);
  const std::vector<Instance> instances = Instances({9});
  const NetworkBatch batch = Batch(instances);
  const auto choices = ChoicesOf(RunEngine(*engine, batch, {}));
  GradientRequest request{.rollout = {.choice = Choice::kForced, .choices = choices}};
  const double plain = ComputeGradient(*engine, batch, request).loss;
  request.label_smoothing = 0.1;
  EXPECT_LT(ComputeGradient(*engine, batch, request).loss,
            plain);  // greedy choices are the likeliest
}

TEST(CpuPointerNetworkTest, VisitsEveryCityOnce) {
  const auto engine = MakeCpuPointerNetwork(kSmallPointer, 1);
  const std::vector<Instance> instances = {
      AnInstance().Kind(ProblemKind::kTsp).WithCustomers(11).Seed(3).Build()};
  const NetworkBatch batch = Batch(instances);
  const Trajectories tours =
      RunEngine(*engine, batch, {.trajectories = 12, .distinct_starts = true});
  for (int32_t p = 0; p < 12; ++p) {
    EXPECT_EQ(tours.Choices(p)[0], p);
    std::vector<int32_t> cities(tours.Choices(p).begin(), tours.Choices(p).end());
    std::sort(cities.begin(), cities.end());
    std::vector<int32_t> all(12);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(cities, all);
  }
}

}  // namespace
}  // namespace vrp
