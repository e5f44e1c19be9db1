#include "core/model/torch_pointer_network.h"

#include <memory>

#include "core/model/cpu_pointer_network.h"
#include "core/model/pointer_layout.h"
#include "gtest/gtest.h"
#include "tests/model/torch_sequential.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::RelativeDifference;
using test::Values;

constexpr PointerNetworkOptions kSmall = {.hidden = 32, .layers = 2, .dropout = 0};

NetworkBatch Batch() {
  return test::BatchOf({AnInstance().WithCustomers(7).RandomDemands().Build(),
                        AnInstance().WithCustomers(5).Kind(ProblemKind::kTsp).Seed(2).Build(),
                        AnInstance().WithCustomers(6).RandomWindows().Service(2).Seed(3).Build()},
                       NodeOrder::kByAngle);
}

std::unique_ptr<TorchEngine> Engine() {
  auto engine = std::make_unique<TorchEngine>(MakeTorchPointerNetwork(kSmall),
                                              FlatParameters(PointerLayout(kSmall), 5),
                                              at::TensorOptions(at::kDouble), EngineOptions());
  engine->parameters().TrackGradient();
  return engine;
}

const GradientRequest kSampling = {.rollout = {.choice = Choice::kSample, .trajectories = 2}};

TEST(TorchPointerNetworkTest, GivesTheGradientOfPlainSequentialAutograd) {
  const NetworkBatch batch = Batch();
  const auto engine = Engine();
  const auto outcome = engine->AddGradient(batch, kSampling, test::WeighByCost);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_LT(outcome->pass_difference, 1e-12);
  const at::Tensor gradient = engine->tensors().gradient().clone();
  std::vector<double> weights(outcome->trajectories.costs.size());
  test::WeighByCost(0, outcome->trajectories.costs, weights);
  test::SequentialGradient({.network = *MakeTorchPointerNetwork(kSmall),
                            .parameters = engine->tensors(),
                            .batch = batch,
                            .trajectories = outcome->trajectories},
                           weights);
  EXPECT_LT(RelativeDifference(Values(gradient), Values(engine->tensors().gradient())), 1e-11);
}

TEST(TorchPointerNetworkTest, AgreesWithTheCpusOwnKernels) {
  const NetworkBatch batch = Batch();
  const auto torch = Engine();
  const auto own = MakeCpuPointerNetwork(kSmall, 5);
  own->parameters().TrackGradient();
  const auto actual = own->AddGradient(batch, kSampling, test::WeighByCost);
  ASSERT_TRUE(actual.ok()) << actual.status();
  const auto choices = test::ChoicesOf(actual->trajectories);
  GradientRequest request = kSampling;
  request.rollout.choice = Choice::kFollow;
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

}  // namespace
}  // namespace vrp
