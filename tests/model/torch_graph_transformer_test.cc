#include <cmath>
#include <limits>

#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/torch/networks.h"
#include "core/problem/checker/checker.h"
#include "gtest/gtest.h"
#include "tests/model/torch_sequential.h"
#include "tests/model/torch_testing.h"
#include "tests/testing/feature_columns.h"

namespace vrp {
namespace {

using test::BatchOf;
using test::RelativeDifference;
using test::SmallTransformer;
using test::TransformerEngine;
using test::Values;
using test::Variants;

std::vector<double> Weights(const NetworkBatch& batch, const Trajectories& trajectories) {
  const auto count = static_cast<size_t>(trajectories.count);
  std::vector<double> weights(trajectories.costs.size());
  for (int32_t b = 0; b < batch.size(); ++b) {
    const size_t at = static_cast<size_t>(b) * count;
    test::WeighByCost(b, std::span(trajectories.costs).subspan(at, count),
                      std::span(weights).subspan(at, count));
  }
  return weights;
}

// Options of a training step and of its network.
struct Case {
  int32_t trajectories = 1;
  bool distinct_starts = false;
  Choice choice = Choice::kSample;
  double label_smoothing = 0;
  NormKind norm = NormKind::kInstance;
  bool edge_bias = true;
  std::vector<std::string> inputs = {};
};

class TorchGraphTransformerTest : public testing::TestWithParam<Case> {
 protected:
  static GraphTransformerOptions Sizes() {
    GraphTransformerOptions sizes = SmallTransformer();
    sizes.norm = GetParam().norm;
    sizes.edge_bias = GetParam().edge_bias;
    sizes.inputs = GetParam().inputs;
    return sizes;
  }

  GradientRequest Request() const {
    const Case& options = GetParam();
    return {.rollout = {.choice = options.choice,
                        .trajectories = options.trajectories,
                        .distinct_starts = options.distinct_starts,
                        .seed = 3,
                        .stream = 9,
                        .choices = forced_},
            .label_smoothing = options.label_smoothing};
  }

  void SetUp() override {
    const BatchForm form = InputsOf(GraphTransformerArchitecture(), GetParam().inputs).form;
    batch_ = BatchOf(test::WithFeatures(Variants(), form.own_columns), form);
    if (GetParam().choice != Choice::kForced) return;
    const auto drawn = TransformerEngine(at::kDouble, Sizes())
                           ->Run(batch_, {.choice = Choice::kSample,
                                          .trajectories = GetParam().trajectories,
                                          .distinct_starts = GetParam().distinct_starts});
    ASSERT_TRUE(drawn.ok()) << drawn.status();
    forced_ = test::ChoicesOf(*drawn);
  }

  NetworkBatch batch_;
  std::vector<std::vector<int32_t>> forced_;
};

TEST_P(TorchGraphTransformerTest, GivesTheGradientOfPlainSequentialAutograd) {
  const auto engine = TransformerEngine(at::kDouble, Sizes());
  const auto outcome = engine->AddGradient(batch_, Request(), test::WeighByCost);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_LT(outcome->pass_difference, 1e-13);
  const at::Tensor gradient = engine->tensors().gradient().clone();
  const auto network = MakeTorchGraphTransformer(Sizes());
  const std::vector<double> weights = Weights(batch_, outcome->trajectories);
  const std::vector<double> likelihoods =
      test::SequentialGradient({.network = *network,
                                .parameters = engine->tensors(),
                                .batch = batch_,
                                .trajectories = outcome->trajectories,
                                .distinct_starts = GetParam().distinct_starts,
                                .label_smoothing = GetParam().label_smoothing},
                               weights);
  EXPECT_LT(RelativeDifference(Values(gradient), Values(engine->tensors().gradient())), 1e-12);
  double loss = 0;
  for (size_t i = 0; i < weights.size(); ++i) loss += weights[i] * likelihoods[i];
  EXPECT_NEAR(outcome->loss, loss, 1e-10);
  if (GetParam().label_smoothing > 0) return;
  for (size_t i = 0; i < likelihoods.size(); ++i) {
    EXPECT_NEAR(likelihoods[i], outcome->trajectories.log_likelihoods[i], 1e-12);
  }
}

TEST_P(TorchGraphTransformerTest, AgreesWithTheCpusOwnKernelsInDoublePrecision) {
  const auto torch = TransformerEngine(at::kDouble, Sizes());
  const auto own = MakeFloat64GraphTransformer(Sizes(), 5);
  own->parameters().TrackGradient();
  const auto expected = torch->AddGradient(batch_, Request(), test::WeighByCost);
  const auto actual = own->AddGradient(batch_, Request(), test::WeighByCost);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(actual.ok()) << actual.status();
  EXPECT_EQ(actual->trajectories.choices, expected->trajectories.choices);
  EXPECT_EQ(actual->trajectories.agreements, expected->trajectories.agreements);
  EXPECT_EQ(actual->trajectories.costs, expected->trajectories.costs);
  EXPECT_NEAR(actual->loss, expected->loss, 1e-9);
  for (size_t row = 0; row < actual->trajectories.log_likelihoods.size(); ++row) {
    EXPECT_NEAR(actual->trajectories.log_likelihoods[row],
                expected->trajectories.log_likelihoods[row], 1e-10)
        << row;
  }
  for (const ParameterShape& shape : own->parameters().layout().shapes()) {
    const auto offset = static_cast<size_t>(own->parameters().layout().Offset(shape.name));
    const auto size = static_cast<size_t>(ParameterLayout::Elements(shape));
    const std::span<const double> reference =
        Values(torch->tensors().gradient()).subspan(offset, size);
    EXPECT_LT(RelativeDifference(reference, own->LastGradient().subspan(offset, size), 1e-3), 1e-9)
        << shape.name;
  }
}

TEST_P(TorchGraphTransformerTest, AgreesWithTheCpusOwnKernelsInSinglePrecision) {
  const auto torch = TransformerEngine(at::kDouble, Sizes());
  const auto own = MakeCpuGraphTransformer(Sizes(), 5);
  own->parameters().TrackGradient();
  GradientRequest request = Request();
  const auto actual = own->AddGradient(batch_, request, test::WeighByCost);
  ASSERT_TRUE(actual.ok()) << actual.status();
  // Rounding in float may change a draw, so both engines are forced along the same tours.
  const auto choices = test::ChoicesOf(actual->trajectories);
  request.rollout.choice = Choice::kForced;
  request.rollout.choices = choices;
  const auto expected = torch->AddGradient(batch_, request, test::WeighByCost);
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (size_t row = 0; row < actual->trajectories.log_likelihoods.size(); ++row) {
    EXPECT_NEAR(actual->trajectories.log_likelihoods[row],
                expected->trajectories.log_likelihoods[row], 1e-4);
  }
  EXPECT_LT(RelativeDifference(Values(torch->tensors().gradient()),
                               std::as_const(own->parameters()).gradient()),
            1e-4);
}

TEST_P(TorchGraphTransformerTest, GivesTheSameGradientWithCheckpointing) {
  const auto plain = TransformerEngine(at::kDouble, Sizes());
  const auto checkpointed =
      TransformerEngine(at::kDouble, Sizes(), {.gradient_checkpointing = true});
  ASSERT_TRUE(plain->AddGradient(batch_, Request(), test::WeighByCost).ok());
  ASSERT_TRUE(checkpointed->AddGradient(batch_, Request(), test::WeighByCost).ok());
  EXPECT_LT(RelativeDifference(Values(plain->tensors().gradient()),
                               Values(checkpointed->tensors().gradient())),
            1e-14);
}

INSTANTIATE_TEST_SUITE_P(Trainings, TorchGraphTransformerTest,
                         testing::Values(Case{}, Case{.trajectories = 3},
                                         Case{.inputs = {"wear", "y", "early", "is_depot"}},
                                         Case{.trajectories = 4, .distinct_starts = true},
                                         Case{.choice = Choice::kGreedy, .edge_bias = false},
                                         Case{.choice = Choice::kForced, .label_smoothing = 0.1},
                                         Case{.trajectories = 2, .norm = NormKind::kFrozenBatch}));

TEST(TorchGraphTransformerRunTest, MakesFeasiblePlansOfEveryVariant) {
  const std::vector<Instance> instances = Variants();
  const NetworkBatch batch = BatchOf(instances, NodeOrder::kAsGiven);
  const auto engine = TransformerEngine(at::kFloat, SmallTransformer());
  const auto run = engine->Run(batch, {.choice = Choice::kSample, .trajectories = 2});
  ASSERT_TRUE(run.ok()) << run.status();
  for (int32_t b = 0; b < batch.size(); ++b) {
    const Plan plan = ChoicesToPlan(batch, b, run->Choices(2 * b));
    const CheckReport checked = CheckPlan(instances[static_cast<size_t>(b)], plan);
    EXPECT_TRUE(checked.feasible) << b;
    EXPECT_NEAR(checked.cost, run->costs[static_cast<size_t>(2 * b)], 1e-9);
  }
}

TEST(TorchGraphTransformerRunTest, DoesNotDependOnPadding) {
  const std::vector<Instance> together = Variants();
  const auto engine = TransformerEngine(at::kDouble, SmallTransformer());
  const auto all = engine->Run(BatchOf(together, NodeOrder::kAsGiven), {});
  ASSERT_TRUE(all.ok());
  for (size_t b = 0; b < together.size(); ++b) {
    const auto alone = engine->Run(BatchOf({together[b]}, NodeOrder::kAsGiven), {});
    ASSERT_TRUE(alone.ok());
    EXPECT_NEAR(alone->log_likelihoods[0], all->log_likelihoods[b], 1e-12);
    EXPECT_EQ(alone->costs[0], all->costs[b]);
  }
}

TEST(TorchGraphTransformerRunTest, RespectsTheRulesWithNonFiniteWeights) {
  const auto engine = TransformerEngine(at::kFloat, SmallTransformer());
  for (float& value : engine->parameters().values()) {
    value = std::numeric_limits<float>::quiet_NaN();
  }
  EXPECT_TRUE(engine->ParametersChanged().ok());
  const NetworkBatch batch = BatchOf(Variants(), NodeOrder::kAsGiven);
  const auto run = engine->Run(batch, {.choice = Choice::kSample});
  ASSERT_TRUE(run.ok()) << run.status();
  const auto outcome = engine->AddGradient(batch, {}, test::WeighByCost);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_TRUE(std::isnan(outcome->loss));
}

TEST(TorchGraphTransformerRunTest, SeesChangedParametersOfTheHost) {
  const auto engine = TransformerEngine(at::kDouble, SmallTransformer());
  const NetworkBatch batch = BatchOf(Variants(), NodeOrder::kAsGiven);
  const auto before = engine->Run(batch, {});
  for (float& value : engine->parameters().values()) value *= 1.5F;
  EXPECT_TRUE(engine->ParametersChanged().ok());
  const auto after = engine->Run(batch, {});
  EXPECT_NE(before->log_likelihoods, after->log_likelihoods);
}

}  // namespace
}  // namespace vrp
