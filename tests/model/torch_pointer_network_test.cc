#include <algorithm>
#include <memory>

#include "core/model/pointer_network/cpu_pointer_network.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/torch/networks.h"
#include "gtest/gtest.h"
#include "tests/model/torch_sequential.h"
#include "tests/model/torch_testing.h"
#include "tests/testing/feature_columns.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::RelativeDifference;
using test::Values;

const PointerNetworkOptions kSmallPointer = {.hidden = 32, .layers = 2, .dropout = 0};

NetworkBatch Batch(const BatchForm& form = NodeOrder::kByAngle) {
  const std::vector<Instance> instances = {
      AnInstance().WithCustomers(7).RandomDemands().Build(),
      AnInstance().WithCustomers(5).Kind(ProblemKind::kTsp).Seed(2).Build(),
      AnInstance().WithCustomers(6).RandomWindows().Service(2).Seed(3).Build()};
  return test::BatchOf(test::WithFeatures(instances, form.own_columns), form);
}

std::unique_ptr<TorchEngine> PointerEngine(const PointerNetworkOptions& sizes = kSmallPointer,
                                           at::ScalarType type = at::kDouble) {
  auto engine = std::make_unique<TorchEngine>(MakeTorchPointerNetwork(sizes),
                                              FlatParameters(PointerLayout(sizes), 5),
                                              at::TensorOptions(type), EngineOptions());
  engine->parameters().TrackGradient();
  return engine;
}

const GradientRequest kTwoSamples = {.rollout = {.choice = Choice::kSample, .trajectories = 2}};

TEST(TorchPointerNetworkTest, GivesTheGradientOfPlainSequentialAutograd) {
  const NetworkBatch batch = Batch();
  const auto engine = PointerEngine();
  const auto outcome = engine->AddGradient(batch, kTwoSamples, test::WeighByCost);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_LT(outcome->pass_difference, 1e-12);
  const at::Tensor gradient = engine->tensors().gradient().clone();
  std::vector<double> weights(outcome->trajectories.costs.size());
  test::WeighByCost(0, outcome->trajectories.costs, weights);
  test::SequentialGradient({.network = *MakeTorchPointerNetwork(kSmallPointer),
                            .parameters = engine->tensors(),
                            .batch = batch,
                            .trajectories = outcome->trajectories},
                           weights);
  EXPECT_LT(RelativeDifference(Values(gradient), Values(engine->tensors().gradient())), 1e-11);
}

void ExpectAgreementWithTheCpusOwnKernels(const PointerNetworkOptions& sizes) {
  const auto torch = PointerEngine(sizes);
  const NetworkBatch batch = Batch(torch->batch_form());
  const auto own = MakeCpuPointerNetwork(sizes, 5);
  own->parameters().TrackGradient();
  const auto actual = own->AddGradient(batch, kTwoSamples, test::WeighByCost);
  ASSERT_TRUE(actual.ok()) << actual.status();
  const auto choices = test::ChoicesOf(actual->trajectories);
  GradientRequest request = kTwoSamples;
  request.rollout.choice = Choice::kForced;
  request.rollout.choices = choices;
  const auto expected = torch->AddGradient(batch, request, test::WeighByCost);
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (size_t row = 0; row < choices.size(); ++row) {
    EXPECT_NEAR(actual->trajectories.log_likelihoods[row],
                expected->trajectories.log_likelihoods[row], 1e-4);
  }
  EXPECT_LT(RelativeDifference(Values(torch->tensors().gradient()),
                               std::as_const(own->parameters()).gradient()),
            1e-4);
}

TEST(TorchPointerNetworkTest, AgreesWithTheCpusOwnKernels) {
  ExpectAgreementWithTheCpusOwnKernels(kSmallPointer);
}

TEST(TorchPointerNetworkTest, ReadsTheSameInputsAsTheCpusOwnKernels) {
  PointerNetworkOptions sizes = kSmallPointer;
  sizes.inputs = {"wear", "is_visited", "x", "early", "from_depot"};
  ExpectAgreementWithTheCpusOwnKernels(sizes);
}

// A test that both engines draw the same dropout and decoder inputs when they learn from labels.
class TorchPointerLabelsTest : public testing::TestWithParam<double> {};  // teacher forcing

TEST_P(TorchPointerLabelsTest, MatchTheCpusOwnKernelsInDropoutAndInputs) {
  const PointerNetworkOptions sizes = {.hidden = 32, .layers = 3, .dropout = 0.3};
  const NetworkBatch batch = Batch();
  const auto labels = test::SampleLabels(batch);
  const GradientRequest request = {.rollout = {.choice = Choice::kForced,
                                               .seed = 7,
                                               .stream = 4,
                                               .first_instance = 10,
                                               .choices = labels,
                                               .teacher_forcing = GetParam()},
                                   .label_smoothing = 0.1,
                                   .dropout = true};
  const auto torch = PointerEngine(sizes);
  const auto own = MakeCpuPointerNetwork(sizes, 5);
  own->parameters().TrackGradient();
  const auto expected = own->AddGradient(batch, request, test::WeighByCost);
  const auto actual = torch->AddGradient(batch, request, test::WeighByCost);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(actual.ok()) << actual.status();
  EXPECT_EQ(actual->trajectories.lengths, expected->trajectories.lengths);
  EXPECT_EQ(actual->trajectories.agreements, expected->trajectories.agreements);
  EXPECT_EQ(actual->pass_difference, 0);  // without a rollout there is no difference
  for (size_t row = 0; row < labels.size(); ++row) {
    EXPECT_NEAR(actual->trajectories.log_likelihoods[row],
                expected->trajectories.log_likelihoods[row], 1e-4);
    EXPECT_NEAR(actual->trajectories.costs[row], expected->trajectories.costs[row], 1e-9);
  }
  EXPECT_LT(RelativeDifference(Values(torch->tensors().gradient()),
                               std::as_const(own->parameters()).gradient()),
            1e-4);
}

INSTANTIATE_TEST_SUITE_P(TeacherForcing, TorchPointerLabelsTest, testing::Values(1, 0.5, 0));

TEST(TorchPointerNetworkTest, DrawsDropoutByStep) {
  const PointerNetworkOptions sizes = {.hidden = 32, .layers = 2, .dropout = 0.3};
  const NetworkBatch batch = Batch();
  const auto labels = test::SampleLabels(batch);
  const auto engine = PointerEngine(sizes);
  GradientRequest request = {.rollout = {.choice = Choice::kForced, .choices = labels},
                             .dropout = true};
  const auto loss = [&] { return engine->AddGradient(batch, request, test::WeighByCost)->loss; };
  const double first = loss();
  EXPECT_EQ(loss(), first);
  request.rollout.stream = 1;
  EXPECT_NE(loss(), first);
}

TEST(TorchPointerNetworkTest, GivesEveryTensorAGradientInBf16) {
  const NetworkBatch batch = Batch();
  const auto labels = test::SampleLabels(batch);
  for (const Choice choice : {Choice::kForced, Choice::kSample}) {
    GradientRequest request = {.rollout = {.choice = choice, .teacher_forcing = 0.5}};
    if (choice == Choice::kForced) request.rollout.choices = labels;
    const auto engine = PointerEngine(kSmallPointer, at::kFloat);
    request.rollout.bf16 = true;
    ASSERT_TRUE(engine->AddGradient(batch, request, test::WeighByCost).ok());
    const FlatParameters& parameters = engine->parameters();
    for (const ParameterShape& shape : parameters.layout().shapes()) {
      const auto gradient =
          parameters.gradient().subspan(static_cast<size_t>(parameters.layout().Offset(shape.name)),
                                        static_cast<size_t>(ParameterLayout::Elements(shape)));
      EXPECT_TRUE(std::ranges::any_of(gradient, [](float one) { return one != 0; }))
          << shape.name << ", choice " << static_cast<int>(choice);
    }
  }
}

}  // namespace
}  // namespace vrp
