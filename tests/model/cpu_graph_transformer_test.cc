#include "core/model/graph_transformer/cpu_graph_transformer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/policy/engine_policy.h"
#include "core/problem/checker/checker.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/model/small_networks.h"
#include "tests/testing/feature_columns.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::BatchOf;
using test::ChoicesOf;
using test::SmallTransformer;

// Returns one instance of each variant that the network supports.
std::vector<Instance> AllVariants() {
  return {
      AnInstance().WithCustomers(7).RandomDemands().Build(),
      AnInstance().WithCustomers(5).Kind(ProblemKind::kTsp).Seed(2).Build(),
      AnInstance().WithCustomers(6).RandomWindows().Service(2).Seed(3).Build(),
      AnInstance().WithCustomers(8).OpenEnd().Seed(4).Build(),
      AnInstance().WithCustomers(6).MaxDistance(400).Seed(5).Build(),
      AnInstance()
          .WithCustomers(6)
          .Backhauls({0, 3, 0, 2, 0, 4})
          .Demands({3, 0, 2, 0, 5, 0})
          .Build(),
      AnInstance().WithCustomers(7).ExplicitMatrix(0.4).Seed(6).Build(),
      AnInstance().WithCustomers(6).Kind(ProblemKind::kTsp).ExplicitMatrix(0.4).Seed(7).Build(),
  };
}

void WeighByIndex(int64_t first, std::span<const double> costs, std::span<double> weights) {
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = 0.1 * static_cast<double>(first) - 0.3 * static_cast<double>(i) + 0.001 * costs[i];
  }
}

// Returns the loss that AddGradient should return, computed from a rollout.
double LossOf(const PolicyEngine& engine, const NetworkBatch& batch,
              const std::vector<std::vector<int32_t>>& choices, int32_t count, bool starts) {
  RolloutRequest request{.choice = Choice::kForced,
                         .trajectories = count,
                         .distinct_starts = starts,
                         .choices = choices};
  const auto run = engine.Run(batch, request);
  EXPECT_TRUE(run.ok()) << run.status();
  std::vector<double> weights(run->costs.size());
  double loss = 0;
  for (int32_t b = 0; b < batch.size(); ++b) {
    const auto at = static_cast<size_t>(b * count);
    const auto size = static_cast<size_t>(count);
    WeighByIndex(b, std::span(run->costs).subspan(at, size), std::span(weights).subspan(at, size));
  }
  for (size_t i = 0; i < weights.size(); ++i) loss += weights[i] * run->log_likelihoods[i];
  return loss;
}

// Weighs a trajectory by its index within the instance, however the batch is divided into groups.
void WeighEach(int64_t first, std::span<const double> costs, std::span<double> weights,
               int32_t count) {
  for (size_t at = 0; at < costs.size(); at += static_cast<size_t>(count)) {
    const auto size = static_cast<size_t>(count);
    WeighByIndex(first + static_cast<int64_t>(at / size), costs.subspan(at, size),
                 weights.subspan(at, size));
  }
}

void ExpectGradientOfTheLoss(GraphTransformerOptions options, int32_t count, bool starts) {
  const auto engine = MakeFloat64GraphTransformer(options, 11);
  engine->parameters().TrackGradient();
  const std::vector<Instance> instances =
      test::WithFeatures(AllVariants(), engine->batch_form().own_columns);
  const NetworkBatch batch = MakeNetworkBatch(instances, engine->batch_form());
  GradientRequest request;
  request.rollout.choice = Choice::kSample;
  request.rollout.trajectories = count;
  request.rollout.distinct_starts = starts;
  const auto outcome = engine->AddGradient(
      batch, request, [&](int64_t first, std::span<const double> costs, std::span<double> weights) {
        WeighEach(first, costs, weights, count);
      });
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const auto choices = ChoicesOf(outcome->trajectories);
  EXPECT_NEAR(outcome->loss, LossOf(*engine, batch, choices, count, starts), 1e-9);
  EXPECT_LT(outcome->pass_difference, 1e-12);
  const std::vector<double> gradient(engine->LastGradient().begin(), engine->LastGradient().end());
  for (const ParameterShape& shape : engine->parameters().layout().shapes()) {
    const int64_t offset = engine->parameters().layout().Offset(shape.name);
    const int64_t elements = ParameterLayout::Elements(shape);
    for (int64_t k = 0; k < elements; k += 1 + elements / 5) {
      float& value = engine->parameters().values()[static_cast<size_t>(offset + k)];
      const float kept = value;
      constexpr float kStep = 0x1p-16f;
      value = kept + kStep;
      EXPECT_TRUE(engine->ParametersChanged().ok());
      const double above = LossOf(*engine, batch, choices, count, starts);
      const double up = value;
      value = kept - kStep;
      EXPECT_TRUE(engine->ParametersChanged().ok());
      const double below = LossOf(*engine, batch, choices, count, starts);
      const double slope = (above - below) / (up - value);
      value = kept;
      EXPECT_TRUE(engine->ParametersChanged().ok());
      const double wanted = shape.frozen ? 0 : gradient[static_cast<size_t>(offset + k)];
      if (shape.frozen) continue;
      EXPECT_NEAR(slope, wanted, 1e-4 * (1 + std::abs(wanted))) << shape.name << "[" << k << "]";
    }
  }
}

TEST(CpuGraphTransformerTest, HasTheGradientOfEveryParameter) {
  ExpectGradientOfTheLoss(SmallTransformer(), 1, false);
}

TEST(CpuGraphTransformerTest, HasTheGradientWithDistinctStarts) {
  ExpectGradientOfTheLoss(SmallTransformer(), 4, true);
}

TEST(CpuGraphTransformerTest, HasTheGradientWithFrozenNorms) {
  GraphTransformerOptions options = SmallTransformer();
  options.norm = NormKind::kFrozenBatch;
  ExpectGradientOfTheLoss(options, 2, false);
}

TEST(CpuGraphTransformerTest, HasTheGradientOfOwnInputs) {
  GraphTransformerOptions options = SmallTransformer();
  options.inputs = {"wear", "y", "early", "is_depot"};
  ExpectGradientOfTheLoss(options, 2, false);
  options.inputs = DefaultInputs(GraphTransformerArchitecture());
  for (const char* name : {"a", "b", "c", "d", "e"}) options.inputs.emplace_back(name);
  ExpectGradientOfTheLoss(options, 1, false);
}

TEST(CpuGraphTransformerTest, RefusesForcedChoicesAfterTheEnd) {
  const auto engine = MakeCpuGraphTransformer(SmallTransformer(), 1);
  const std::vector<Instance> instances = {AnInstance().WithCustomers(3).Build(),
                                           AnInstance().WithCustomers(8).Build()};
  test::ExpectEndOfForcedChoices(*engine, test::BatchOf(instances));
}

TEST(CpuGraphTransformerTest, HasNoGradientOfFrozenStatistics) {
  GraphTransformerOptions options = SmallTransformer();
  options.norm = NormKind::kFrozenBatch;
  const auto engine = MakeCpuGraphTransformer(options, 1);
  engine->parameters().TrackGradient();
  GradientRequest request;
  request.rollout.choice = Choice::kSample;
  ASSERT_TRUE(engine
                  ->AddGradient(BatchOf(AllVariants()), request,
                                [](int64_t, auto, std::span<double> weights) {
                                  std::fill(weights.begin(), weights.end(), 1.0);
                                })
                  .ok());
  const ParameterLayout& layout = engine->parameters().layout();
  EXPECT_EQ(engine->parameters()
                .gradient()[static_cast<size_t>(layout.Offset("encoder.layers.0.norm1.mean"))],
            0);
  EXPECT_NE(engine->parameters()
                .gradient()[static_cast<size_t>(layout.Offset("encoder.layers.0.norm1.scale"))],
            0);
}

TEST(CpuGraphTransformerTest, FloatAndDoubleAgree) {
  const auto single = MakeCpuGraphTransformer(SmallTransformer(), 5);
  const auto other_engine = MakeFloat64GraphTransformer(SmallTransformer(), 5);
  single->parameters().TrackGradient();
  other_engine->parameters().TrackGradient();
  const NetworkBatch batch = BatchOf(AllVariants());
  GradientRequest request;
  request.rollout.trajectories = 3;
  request.rollout.choice = Choice::kSample;
  const auto weigh = [](int64_t first, std::span<const double> costs, std::span<double> weights) {
    WeighEach(first, costs, weights, 3);
  };
  const auto one = single->AddGradient(batch, request, weigh);
  const auto other = other_engine->AddGradient(batch, request, weigh);
  ASSERT_TRUE(one.ok() && other.ok());
  ASSERT_EQ(one->trajectories.choices, other->trajectories.choices);
  double largest = 0;
  for (const float value : other_engine->parameters().gradient()) {
    largest = std::max<double>(largest, std::abs(value));
  }
  for (size_t i = 0; i < single->parameters().gradient().size(); ++i) {
    ASSERT_NEAR(single->parameters().gradient()[i], other_engine->parameters().gradient()[i],
                1e-4 * largest);
  }
  EXPECT_LT(one->pass_difference, 1e-5);
}

TEST(CpuGraphTransformerTest, GradientIsBitwiseReproducible) {
  CpuPool pool(2);
  const std::vector<Instance> instances =
      *GenerateInstances({.kind = ProblemKind::kCvrp, .customers = 20}, 40);
  const NetworkBatch batch = BatchOf(instances);
  std::vector<float> first;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto engine = MakeCpuGraphTransformer(SmallTransformer(), 5);
    engine->parameters().TrackGradient();
    GradientRequest request;
    request.rollout.choice = Choice::kSample;
    request.rollout.pool = &pool;
    ASSERT_TRUE(
        engine
            ->AddGradient(batch, request,
                          [](int64_t, std::span<const double> costs, std::span<double> weights) {
                            std::copy(costs.begin(), costs.end(), weights.begin());
                          })
            .ok());
    const auto gradient = engine->parameters().gradient();
    if (repeat == 0) first.assign(gradient.begin(), gradient.end());
    EXPECT_TRUE(std::equal(gradient.begin(), gradient.end(), first.begin()));
  }
}

TEST(CpuGraphTransformerTest, DecodesAnInstanceEquallyInAnyBatch) {
  const auto engine = MakeCpuGraphTransformer(SmallTransformer(), 5);
  const std::vector<Instance> variants = AllVariants();
  const auto together = engine->Run(BatchOf(variants), {});
  ASSERT_TRUE(together.ok());
  for (size_t i = 0; i < variants.size(); ++i) {
    const auto alone = engine->Run(BatchOf({variants[i]}), {});
    ASSERT_TRUE(alone.ok());
    const auto one = alone->Choices(0);
    const auto other = together->Choices(static_cast<int64_t>(i));
    EXPECT_TRUE(std::equal(one.begin(), one.end(), other.begin(), other.end()));
    EXPECT_EQ(alone->log_likelihoods[0], together->log_likelihoods[i]);
  }
}

TEST(CpuGraphTransformerTest, DividingTrajectoriesAmongThreadsChangesNothing) {
  const auto engine = MakeCpuGraphTransformer(SmallTransformer(), 5);
  const NetworkBatch batch =
      BatchOf(*GenerateInstances({.kind = ProblemKind::kCvrp, .customers = 40}, 2));
  const auto starts = engine->Run(batch, {.trajectories = 57, .distinct_starts = true});
  const auto samples = engine->Run(batch, {.choice = Choice::kSample, .trajectories = 57});
  ASSERT_TRUE(starts.ok() && samples.ok());
  const std::vector<std::vector<int32_t>> choices = ChoicesOf(*samples);
  for (const int threads : {2, 3, 5}) {
    CpuPool pool(threads);
    RolloutRequest request{.trajectories = 57, .distinct_starts = true, .pool = &pool};
    const auto shared_starts = engine->Run(batch, request);
    request.distinct_starts = false;
    request.choice = Choice::kSample;
    const auto shared_samples = engine->Run(batch, request);
    request.choice = Choice::kForced;
    request.choices = choices;
    const auto shared_forced = engine->Run(batch, request);
    ASSERT_TRUE(shared_starts.ok() && shared_samples.ok() && shared_forced.ok());
    EXPECT_EQ(starts->choices, shared_starts->choices);
    EXPECT_EQ(starts->log_likelihoods, shared_starts->log_likelihoods);
    EXPECT_EQ(samples->choices, shared_samples->choices);
    EXPECT_EQ(samples->log_likelihoods, shared_forced->log_likelihoods);
  }
}

TEST(CpuGraphTransformerTest, DoesNotDependOnTheOrderOfTheCustomers) {
  const auto engine = MakeCpuGraphTransformer(SmallTransformer(), 5);
  const Instance instance = AnInstance().WithCustomers(12).RandomDemands().Build();
  InstanceData data = instance.data();
  std::reverse(data.positions.begin() + 1, data.positions.end());
  std::reverse(data.demands.begin() + 1, data.demands.end());
  const auto one = engine->Run(BatchOf({instance}), {});
  const auto other = engine->Run(BatchOf({*Instance::Create(data)}), {});
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NEAR(one->log_likelihoods[0], other->log_likelihoods[0], 1e-4);
  EXPECT_NEAR(one->costs[0], other->costs[0], 1e-9);
}

TEST(CpuGraphTransformerTest, ReadsAMatrixThroughEdges) {
  const auto engine = MakeCpuGraphTransformer(SmallTransformer(), 5);
  InstanceData data = AnInstance().WithCustomers(6).ExplicitMatrix(0.2).BuildData();
  const auto before = engine->Run(BatchOf({*Instance::Create(data)}), {});
  data.distance_matrix[3 * 7 + 5] *=
      0.5;  // between two customers, so that no node's features change
  const auto after = engine->Run(BatchOf({*Instance::Create(data)}), {});
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_NE(before->log_likelihoods[0], after->log_likelihoods[0]);
}

TEST(CpuGraphTransformerTest, DistinguishesCitiesByTheirMatrix) {
  const auto single = MakeCpuGraphTransformer(SmallTransformer(), 5);
  const auto other_engine = MakeFloat64GraphTransformer(SmallTransformer(), 5);
  const NetworkBatch batch =
      BatchOf({AnInstance().WithCustomers(9).Kind(ProblemKind::kTsp).ExplicitMatrix(0.4).Build()});
  const auto one = single->Run(batch, {});
  const auto other = other_engine->Run(batch, {});
  ASSERT_TRUE(one.ok() && other.ok());
  // If all nodes looked the same to the network, norms would turn rounding into choices.
  EXPECT_NEAR(one->log_likelihoods[0], other->log_likelihoods[0], 1e-4);
}

TEST(CpuGraphTransformerTest, MakesFeasiblePlansOfEveryVariant) {
  const auto policy =
      MakeEnginePolicy(MakeCpuGraphTransformer(SmallTransformer(), 5),
                       {ProblemKind::kTsp, ProblemKind::kCvrp, ProblemKind::kVrptw}, {});
  const std::vector<Instance> variants = AllVariants();
  for (const DecodeMethod method :
       {DecodeMethod::kGreedy, DecodeMethod::kSample, DecodeMethod::kMultiStart}) {
    const DecodeOptions options{.method = method, .width = method == DecodeMethod::kGreedy ? 1 : 6};
    const auto plans = policy->Decode(variants, options);
    ASSERT_TRUE(plans.ok()) << plans.status();
    for (size_t i = 0; i < variants.size(); ++i) {
      const CheckReport report = CheckPlan(variants[i], (*plans)[i].plan);
      EXPECT_TRUE(report.feasible) << i << ": " << report.violations.front().message;
    }
  }
}

}  // namespace
}  // namespace vrp
