#include "core/model/pointer_network.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "core/model/rollout.h"
#include "core/model/step_buffers.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

constexpr PointerNetworkOptions kSmall = {.hidden = 16, .layers = 2, .dropout = 0};

at::TensorOptions Type(at::ScalarType type) { return at::TensorOptions().dtype(type); }

std::vector<NetworkInput> Inputs(std::initializer_list<int32_t> sizes) {
  std::vector<NetworkInput> inputs;
  uint64_t seed = 1;
  for (const int32_t size : sizes) {
    inputs.push_back(MakeNetworkInput(
        AnInstance().WithCustomers(size).Seed(seed++).RandomDemands().Capacity(15).Build()));
  }
  return inputs;
}

Rollout Sampled(const PointerNetwork& network, const std::vector<NetworkInput>& inputs,
                int64_t trajectories = 1) {
  const EncodedNodes encoded = network.Encode(MakeNodeBatch(inputs, network.tensor_options()));
  auto rollout = RunRollout(network, encoded.Detached(), inputs,
                            {.choice = Choice::kSample,
                             .trajectories = trajectories,
                             .choices = {},
                             .record = true,
                             .stop = {}});
  EXPECT_TRUE(rollout.ok()) << rollout.status();
  return *std::move(rollout);
}

// Logits of the first step.
at::Tensor FirstLogits(const PointerNetwork& network, const std::vector<NetworkInput>& inputs) {
  const c10::NoGradGuard no_gradients;
  const EncodedNodes encoded = network.Encode(MakeNodeBatch(inputs, network.tensor_options()));
  std::vector<RoutingState> states;
  for (const NetworkInput& input : inputs) states.emplace_back(&input);
  StepBuffers buffers(std::ssize(inputs), 1, encoded.nodes.size(1));
  EXPECT_TRUE(buffers.Observe(states, inputs).ok());
  DecoderState state = network.Start(encoded, 1);
  return network.Step(encoded, buffers.Inputs(network.tensor_options()), state);
}

TEST(PointerNetworkTest, GivesForbiddenNodesNoChance) {
  const PointerNetwork network(kSmall, Type(at::kFloat), 1);
  const std::vector<NetworkInput> inputs = Inputs({6, 3});
  const at::Tensor logits = FirstLogits(network, inputs);
  const float never = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(logits[0][0][0].item<float>(), never);  // at the depot already
  for (int64_t padded = 4; padded < 7; ++padded) {
    EXPECT_EQ(logits[1][0][padded].item<float>(), never);
  }
  EXPECT_TRUE(std::isfinite(logits[0][0][1].item<float>()));
}

TEST(PointerNetworkTest, ChangesItsLogitsWhenANodeBecomesVisited) {
  const PointerNetwork network(kSmall, Type(at::kFloat), 1);
  const c10::NoGradGuard no_gradients;
  const std::vector<NetworkInput> inputs = Inputs({5});
  const EncodedNodes encoded = network.Encode(MakeNodeBatch(inputs, network.tensor_options()));
  std::vector<RoutingState> states = {RoutingState(inputs.data())};
  StepBuffers buffers(1, 1, 6);
  ASSERT_TRUE(buffers.Observe(states, inputs).ok());
  StepInputs step = buffers.Inputs(network.tensor_options());
  DecoderState one = network.Start(encoded, 1);
  DecoderState other = one;
  const at::Tensor before = network.Step(encoded, step, one);
  step.dynamic = step.dynamic.clone();
  step.dynamic[0][0][2][kVisitedFeature] = 1;  // and nothing else, masks included
  const at::Tensor after = network.Step(encoded, step, other);
  EXPECT_GT((after - before)[0][0][2].abs().item<float>(), 1e-4);
  EXPECT_GT((after - before)[0][0][3].abs().item<float>(), 1e-7);  // through the glimpse
}

TEST(PointerNetworkTest, IsNotChangedByPadding) {
  const PointerNetwork network(kSmall, Type(at::kFloat), 1);
  const std::vector<NetworkInput> alone = Inputs({4});
  std::vector<NetworkInput> padded = Inputs({4, 11});
  const at::Tensor small = FirstLogits(network, alone)[0][0];
  const at::Tensor large = FirstLogits(network, padded)[0][0];
  for (int64_t node = 1; node < 5; ++node) {
    EXPECT_NEAR(small[node].item<float>(), large[node].item<float>(), 1e-5);
  }
  const Rollout one = Sampled(network, alone);
  const Rollout other = Sampled(network, padded);
  EXPECT_EQ(one.states[0].MakePlan(), other.states[0].MakePlan());
  EXPECT_NEAR(one.log_likelihoods[0], other.log_likelihoods[0], 1e-5);
}

TEST(PointerNetworkTest, DrawsDifferentToursAndTheSameOnesAgain) {
  const PointerNetwork network(kSmall, Type(at::kFloat), 1);
  const std::vector<NetworkInput> inputs = Inputs({7});
  const Rollout rollout = Sampled(network, inputs, 3);
  EXPECT_NE(rollout.states[0].MakePlan(), rollout.states[1].MakePlan());
  const Rollout again = Sampled(network, inputs, 3);
  for (size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(rollout.states[row].MakePlan(), again.states[row].MakePlan());
  }
}

class TwoPassTest : public testing::TestWithParam<int64_t> {};

TEST_P(TwoPassTest, GiveTheSameLogLikelihoods) {
  const PointerNetwork network(kSmall, Type(at::kDouble), 3);
  const std::vector<NetworkInput> inputs = Inputs({6, 9});
  const Rollout rollout = Sampled(network, inputs, GetParam());
  const EncodedNodes encoded = network.Encode(MakeNodeBatch(inputs, network.tensor_options()));
  const at::Tensor sums = ReplayLogProbabilities(network, encoded, rollout)
                              .view({2, GetParam(), rollout.steps})
                              .sum(2)
                              .flatten();
  for (size_t row = 0; row < rollout.log_likelihoods.size(); ++row) {
    // Draws read logits in single precision.
    EXPECT_NEAR(sums[static_cast<int64_t>(row)].item<double>(), rollout.log_likelihoods[row], 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Trajectories, TwoPassTest, testing::Values(1, 3));

// Log-likelihood of all recorded choices by plain autograd, one step after the other.
at::Tensor SequentialLikelihood(const PointerNetwork& network, const EncodedNodes& encoded,
                                const Rollout& rollout) {
  DecoderState state = network.Start(encoded, 1);
  at::Tensor sum = at::zeros({}, network.tensor_options());
  const StepInputs& all = rollout.inputs;
  for (int64_t t = 0; t < rollout.steps; ++t) {
    const StepInputs step = {all.current.narrow(1, t, 1), all.context.narrow(1, t, 1),
                             all.dynamic.narrow(1, t, 1), all.forbidden.narrow(1, t, 1)};
    const at::Tensor logits = network.Step(encoded, step, state);
    const at::Tensor chosen = at::log_softmax(logits, -1)
                                  .gather(2, rollout.actions.narrow(1, t, 1).unsqueeze(2))
                                  .squeeze(2);
    sum = sum + chosen.masked_fill(rollout.active.narrow(1, t, 1) == 0, 0).sum();
  }
  return sum;
}

TEST(GradientTest, OfTheSecondPassIsThatOfPlainSequentialAutograd) {
  PointerNetwork network(kSmall, Type(at::kDouble), 3);
  network.parameters().TrackGradients();
  const std::vector<NetworkInput> inputs = Inputs({5, 8});
  const Rollout rollout = Sampled(network, inputs);
  const NodeBatch nodes = MakeNodeBatch(inputs, network.tensor_options());

  ReplayLogProbabilities(network, network.Encode(nodes), rollout).sum().backward();
  const at::Tensor fused = network.parameters().gradient().clone();
  network.parameters().gradient().zero_();
  SequentialLikelihood(network, network.Encode(nodes), rollout).backward();
  const at::Tensor plain = network.parameters().gradient();

  EXPECT_GT(plain.norm().item<double>(), 1e-2);
  EXPECT_LT((fused - plain).abs().max().item<double>(), 1e-9);
}

TEST(GradientTest, IsThatOfFiniteDifferences) {
  PointerNetwork network({.hidden = 8, .layers = 1, .dropout = 0}, Type(at::kDouble), 5);
  network.parameters().TrackGradients();
  const std::vector<NetworkInput> inputs = Inputs({4});
  const Rollout rollout = Sampled(network, inputs);
  const NodeBatch nodes = MakeNodeBatch(inputs, network.tensor_options());
  const auto likelihood = [&] {
    return ReplayLogProbabilities(network, network.Encode(nodes), rollout).sum();
  };
  likelihood().backward();
  const at::Tensor gradient = network.parameters().gradient().clone();
  const c10::NoGradGuard no_gradients;
  double* parameters = network.parameters().flat().mutable_data_ptr<double>();
  constexpr double kStep = 1e-5;
  for (int64_t i = 0; i < network.parameters().size(); i += 7) {
    const double value = parameters[i];
    parameters[i] = value + kStep;
    const double above = likelihood().item<double>();
    parameters[i] = value - kStep;
    const double below = likelihood().item<double>();
    parameters[i] = value;
    ASSERT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-7) << i;
  }
}

TEST(PointerNetworkTest, ScoresByItsOwnLoopsWhatTheTensorLibraryScores) {
  const PointerNetwork network({.hidden = 32, .layers = 2}, Type(at::kFloat), 1);
  const std::vector<NetworkInput> inputs = Inputs({6, 9, 2});
  const Rollout rollout = Sampled(network, inputs, 2);  // by the loops
  const EncodedNodes encoded = network.Encode(MakeNodeBatch(inputs, network.tensor_options()));
  const at::Tensor sums = ReplayLogProbabilities(network, encoded, rollout)  // by tensors
                              .view({3, 2, rollout.steps})
                              .sum(2)
                              .flatten();
  for (size_t row = 0; row < 6; ++row) {
    EXPECT_NEAR(sums[static_cast<int64_t>(row)].item<float>(), rollout.log_likelihoods[row], 1e-5);
  }
}

TEST(RolloutTest, EndsWithTheReasonOfItsStopCondition) {
  const PointerNetwork network(kSmall, Type(at::kFloat), 1);
  const std::vector<NetworkInput> inputs = Inputs({5});
  const EncodedNodes encoded = network.Encode(MakeNodeBatch(inputs, network.tensor_options()));
  auto cancel = std::make_shared<CancelFlag>();
  cancel->Cancel();
  const auto cancelled = RunRollout(network, encoded.Detached(), inputs,
                                    {.choices = {}, .stop = {absl::InfiniteFuture(), cancel}});
  EXPECT_EQ(cancelled.status().code(), absl::StatusCode::kCancelled);
  const auto late = RunRollout(network, encoded.Detached(), inputs,
                               {.choices = {}, .stop = {absl::InfinitePast(), nullptr}});
  EXPECT_EQ(late.status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(RolloutTest, FollowsGivenChoicesAndReadsItsOwnWhereItIsNotForced) {
  const PointerNetwork network(kSmall, Type(at::kFloat), 1);
  const std::vector<NetworkInput> inputs = Inputs({6});
  const EncodedNodes encoded =
      network.Encode(MakeNodeBatch(inputs, network.tensor_options())).Detached();
  const std::vector<std::vector<int32_t>> choices = {{6, 0, 5, 0, 4, 0, 3, 0, 2, 0, 1}};
  const auto run = [&](double forcing) {
    return *RunRollout(network, encoded, inputs,
                       {.choice = Choice::kFollow,
                        .choices = choices,
                        .teacher_forcing = forcing,
                        .record = true,
                        .stop = {}});
  };
  const Rollout forced = run(1);
  const Rollout free = run(0);
  EXPECT_TRUE(at::equal(forced.actions, free.actions));
  EXPECT_TRUE(at::equal(forced.inputs.forbidden, free.inputs.forbidden));
  EXPECT_FALSE(at::equal(forced.inputs.current, free.inputs.current));
}

TEST(PointerNetworkTest, RunsUnderAutocastNearToSinglePrecision) {
  const PointerNetwork network(kSmall, Type(at::kFloat), 1);
  const std::vector<NetworkInput> inputs = Inputs({6, 4});
  const at::Tensor exact = FirstLogits(network, inputs);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const at::Tensor rough = FirstLogits(network, inputs);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  const at::Tensor allowed = exact.isfinite();
  EXPECT_TRUE(at::equal(allowed, rough.isfinite()));
  const at::Tensor difference = (exact - rough).masked_select(allowed).abs().max();
  EXPECT_LT(difference.item<float>(), 0.2);
  EXPECT_GT(difference.item<float>(), 0);
}

}  // namespace
}  // namespace vrp
