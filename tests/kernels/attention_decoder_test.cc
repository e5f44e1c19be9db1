#include "core/kernels/attention_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/random.h"
#include "core/problem/checker.h"
#include "tests/kernels/plain_decoder.h"
#include "tests/kernels/routing_case.h"

namespace vrp {
namespace {

// What a rollout leaves, and the memory for it.
template <typename T>
struct Decoded {
  Decoded(const RoutingProblem& problem, int32_t trajectories)
      : max_steps(MaxTourSteps(problem)),
        choices(static_cast<size_t>(max_steps) * trajectories, 99),
        lengths(static_cast<size_t>(trajectories)),
        costs(lengths.size()),
        log_likelihoods(lengths.size()),
        agreements(lengths.size()) {}

  DecodeResult<T> view() {
    return {max_steps,    choices.data(),         lengths.data(),
            costs.data(), log_likelihoods.data(), agreements.data()};
  }
  std::vector<int32_t> Choices(int32_t p) const {
    const auto begin = choices.begin() + int64_t{p} * max_steps;
    return {begin, begin + lengths[p]};
  }

  int32_t max_steps;
  DecodeStatus status = DecodeStatus::kDone;
  std::vector<int32_t> choices;
  std::vector<int32_t> lengths;
  std::vector<double> costs;
  std::vector<double> log_likelihoods;
  std::vector<int32_t> agreements;
};

template <typename T>
Decoded<T> Roll(const AttentionDecoder<T>& decoder, const RoutingProblem& problem,
                const DecoderNodes<const T>& nodes, const DecodeRequest& request) {
  Decoded<T> decoded(problem, request.trajectories);
  std::vector<T> scratch(static_cast<size_t>(decoder.ScratchSize(problem, request.trajectories)),
                         T{77});
  decoded.status = decoder.Rollout(problem, nodes, request, decoded.view(), scratch.data());
  return decoded;
}

template <typename T>
struct SecondPassOptions {
  bool distinct_starts = false;
  double label_smoothing = 0;
  std::vector<double> weights = {};
  DecoderNodes<T> gradient = {};
};

template <typename T>
std::vector<double> Score(const AttentionDecoder<T>& decoder, const RoutingProblem& problem,
                          const DecoderNodes<const T>& nodes, const Decoded<T>& decoded,
                          const SecondPassOptions<T>& options) {
  const auto trajectories = static_cast<int32_t>(decoded.lengths.size());
  std::vector<double> log_likelihoods(decoded.lengths.size(), 99);
  std::vector<T> scratch(static_cast<size_t>(decoder.ScratchSize(problem, trajectories)), T{77});
  const SecondPassRequest<T> request = {.trajectories = trajectories,
                                        .distinct_starts = options.distinct_starts,
                                        .label_smoothing = options.label_smoothing,
                                        .max_steps = decoded.max_steps,
                                        .choices = decoded.choices.data(),
                                        .weights = options.weights.data()};
  decoder.SecondPass(problem, nodes, request, log_likelihoods.data(), options.gradient,
                     scratch.data());
  return log_likelihoods;
}

std::vector<double> SomeWeights(int32_t count) {
  std::vector<double> weights;
  for (int32_t p = 0; p < count; ++p) weights.push_back(0.3 + 0.2 * p - 0.05 * p * p);
  return weights;
}

int32_t Likeliest(const std::vector<double>& scores) {
  return static_cast<int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

class AttentionDecoderTest : public testing::TestWithParam<Isa> {
 protected:
  template <typename T>
  std::unique_ptr<AttentionDecoder<T>> Make(const DecoderShape& shape) const {
    return MakeAttentionDecoder<T>(shape, GetParam());
  }
};

TEST_P(AttentionDecoderTest, GreedyRolloutsOfEveryVariantEqualPlainLoopsAndPassTheChecker) {
  const DecoderShape shape = {.hidden = 32, .heads = 4, .clip = 8};
  const auto decoder = Make<double>(shape);
  for (const CaseOptions& options : AllCases(13)) {
    const RoutingCase routing(options);
    const RandomNodes<double> nodes(shape, routing.problem(), options.seed);
    const Decoded<double> decoded =
        Roll<double>(*decoder, routing.problem(), nodes.view(), {.trajectories = 1});
    ASSERT_EQ(decoded.status, DecodeStatus::kDone) << CaseName(options);
    const PlainTrajectory plain =
        PlainRollout(shape, routing.problem(), nodes.view(), false, 0,
                     [](int32_t, const std::vector<double>& scores) { return Likeliest(scores); });
    ASSERT_EQ(decoded.Choices(0), plain.choices) << CaseName(options);
    EXPECT_NEAR(decoded.log_likelihoods[0], plain.log_likelihood, 1e-10) << CaseName(options);
    EXPECT_NEAR(decoded.costs[0], plain.cost, 1e-9 * plain.cost);
    EXPECT_EQ(decoded.agreements[0], decoded.lengths[0]);
    const CheckReport report =
        CheckPlan(routing.instance(), routing.PlanOf(decoded.Choices(0)), decoded.costs[0]);
    EXPECT_TRUE(report.feasible) << CaseName(options) << report.violations.front().message;
  }
}

TEST_P(AttentionDecoderTest, SamplesOfEveryVariantFollowTheCountersAndPassTheChecker) {
  const DecoderShape shape = {.hidden = 16, .heads = 4};
  const auto decoder = Make<double>(shape);
  for (const CaseOptions& options : AllCases(10)) {
    const RoutingCase routing(options);
    const RandomNodes<double> nodes(shape, routing.problem(), options.seed);
    const DecodeRequest request = {.choice = StepChoice::kSample,
                                   .trajectories = 5,
                                   .temperature = 1.7,
                                   .seed = 0x123456789a,
                                   .stream = 0xabcdef0123,
                                   .first_trajectory = 0x300000001};
    const Decoded<double> decoded =
        Roll<double>(*decoder, routing.problem(), nodes.view(), request);
    ASSERT_EQ(decoded.status, DecodeStatus::kDone);
    for (int32_t p = 0; p < request.trajectories; ++p) {
      const PlainTrajectory plain =
          PlainRollout(shape, routing.problem(), nodes.view(), false, 0,
                       [&](int32_t t, const std::vector<double>& scores) {
                         const PhiloxCounter words = PhiloxBlock(
                             {{0x3456789a, 0x12}},
                             {{static_cast<uint32_t>(t) + (3u << 20), 1u + p, 0xcdef0123, 0xab}});
                         double left = UnitDouble(words.lane[0] | (uint64_t{words.lane[1]} << 32));
                         double sum = 0;
                         for (const double score : scores) sum += std::exp(score / 1.7);
                         left *= sum;
                         for (size_t n = 0; n < scores.size(); ++n) {
                           left -= std::exp(scores[n] / 1.7);
                           if (left < 0) return static_cast<int32_t>(n);
                         }
                         return Likeliest(scores);
                       });
      ASSERT_EQ(decoded.Choices(p), plain.choices) << CaseName(options);
      EXPECT_NEAR(decoded.log_likelihoods[p], plain.log_likelihood, 1e-10);
      EXPECT_EQ(decoded.agreements[p], plain.agreements);
      const CheckReport report =
          CheckPlan(routing.instance(), routing.PlanOf(decoded.Choices(p)), decoded.costs[p]);
      EXPECT_TRUE(report.feasible) << report.violations.front().message;
    }
  }
}

TEST_P(AttentionDecoderTest, FollowingGivesTheLogLikelihoodsOfWhatIsFollowed) {
  const DecoderShape shape = {.hidden = 48, .heads = 3};
  const auto decoder = Make<double>(shape);
  const RoutingCase routing({.nodes = 20});
  const RandomNodes<double> nodes(shape, routing.problem(), 3);
  const DecodeRequest sample = {.choice = StepChoice::kSample, .trajectories = 7};
  const Decoded<double> sampled = Roll<double>(*decoder, routing.problem(), nodes.view(), sample);
  const Decoded<double> followed = Roll<double>(
      *decoder, routing.problem(), nodes.view(),
      {.choice = StepChoice::kFollow, .trajectories = 7, .follow = sampled.choices.data()});
  EXPECT_EQ(followed.choices, sampled.choices);
  EXPECT_EQ(followed.log_likelihoods, sampled.log_likelihoods);
  EXPECT_EQ(followed.agreements, sampled.agreements);
  EXPECT_EQ(followed.costs, sampled.costs);
}

TEST_P(AttentionDecoderTest, WhatIsNotAllowedCannotBeFollowed) {
  const DecoderShape shape = {.hidden = 16, .heads = 2};
  const auto decoder = Make<float>(shape);
  const RoutingCase routing({.nodes = 4});
  const RandomNodes<float> nodes(shape, routing.problem(), 3);
  for (const std::vector<int32_t>& choices :
       std::vector<std::vector<int32_t>>{{1, 1, 2, 3, -1},
                                         {0, 1, 2, 3, -1},
                                         {1, -1, 2, 3, -1},
                                         {1, 4, 2, 3, -1},
                                         {1, 2, -1, -1, -1}}) {
    EXPECT_EQ(Roll<float>(*decoder, routing.problem(), nodes.view(),
                          {.choice = StepChoice::kFollow, .follow = choices.data()})
                  .status,
              DecodeStatus::kForbidden);
  }
}

TEST_P(AttentionDecoderTest, ACustomerOutOfReachIsReported) {
  const DecoderShape shape = {.hidden = 16, .heads = 2};
  const auto decoder = Make<float>(shape);
  RoutingCase routing({.nodes = 4});
  routing.problem().distance_limit = 10;
  const RandomNodes<float> nodes(shape, routing.problem(), 3);
  EXPECT_EQ(Roll<float>(*decoder, routing.problem(), nodes.view(), {}).status,
            DecodeStatus::kUnreachable);
}

TEST_P(AttentionDecoderTest, ACancelledRolloutStops) {
  const DecoderShape shape = {.hidden = 16, .heads = 2};
  const auto decoder = Make<float>(shape);
  const RoutingCase routing({.nodes = 30});
  const RandomNodes<float> nodes(shape, routing.problem(), 3);
  const auto flag = std::make_shared<CancelFlag>();
  flag->Cancel();
  const DecodeRequest request = {.stop = StopCondition(absl::InfiniteFuture(), flag)};
  EXPECT_EQ(Roll<float>(*decoder, routing.problem(), nodes.view(), request).status,
            DecodeStatus::kStopped);
}

TEST_P(AttentionDecoderTest, ResultsDoNotDependOnWhichTrajectoriesAreDecodedTogether) {
  const DecoderShape shape = {};
  const auto decoder = Make<float>(shape);
  for (const int32_t count : {3, 17, 30, 41}) {
    for (const bool tsp : {false, true}) {
      const RoutingCase routing({.nodes = 37, .tsp = tsp});
      const RandomNodes<float> nodes(shape, routing.problem(), 5);
      const DecodeRequest all = {.choice = StepChoice::kSample, .trajectories = count};
      const Decoded<float> together = Roll<float>(*decoder, routing.problem(), nodes.view(), all);
      for (int32_t p = 0; p < count; ++p) {
        DecodeRequest one = all;
        one.trajectories = 1;
        one.first_trajectory = p;
        const Decoded<float> alone = Roll<float>(*decoder, routing.problem(), nodes.view(), one);
        ASSERT_EQ(alone.Choices(0), together.Choices(p)) << p << " of " << count;
        ASSERT_EQ(alone.log_likelihoods[0], together.log_likelihoods[p]) << p << " of " << count;
      }
    }
  }
}

TEST_P(AttentionDecoderTest, TheSecondPassGivesTheRolloutsLogLikelihoodsToTheBit) {
  const DecoderShape shape = {};
  const auto decoder = Make<float>(shape);
  for (const int32_t nodes_count : {2, 5, 16, 33, 51, 101}) {
    for (const int32_t trajectories : {1, 50}) {
      const RoutingCase routing({.nodes = nodes_count, .windows = nodes_count == 33});
      const RandomNodes<float> nodes(shape, routing.problem(), 5);
      const Decoded<float> decoded =
          Roll<float>(*decoder, routing.problem(), nodes.view(),
                      {.choice = StepChoice::kSample, .trajectories = trajectories});
      ASSERT_EQ(decoded.status, DecodeStatus::kDone);
      EXPECT_EQ(Score<float>(*decoder, routing.problem(), nodes.view(), decoded,
                             {.weights = SomeWeights(trajectories)}),
                decoded.log_likelihoods)
          << nodes_count << ", " << trajectories;
    }
  }
}

TEST_P(AttentionDecoderTest, FloatEqualsDouble) {
  const DecoderShape shape = {};
  for (const int32_t nodes_count : {7, 51, 300}) {
    const RoutingCase routing({.nodes = nodes_count});
    const RandomNodes<float> nodes(shape, routing.problem(), 5);
    RandomNodes<double> exact(shape, routing.problem(), 5);
    for (size_t i = 0; i < nodes.arrays().size(); ++i) {
      exact.arrays()[i].assign(nodes.arrays()[i].begin(), nodes.arrays()[i].end());
    }
    const auto decoder = Make<float>(shape);
    const auto reference = Make<double>(shape);
    const Decoded<float> decoded = Roll<float>(*decoder, routing.problem(), nodes.view(),
                                               {.choice = StepChoice::kSample, .trajectories = 6});
    Decoded<double> same = Roll<double>(
        *reference, routing.problem(), exact.view(),
        {.choice = StepChoice::kFollow, .trajectories = 6, .follow = decoded.choices.data()});
    RandomNodes<float> gradient = nodes;
    RandomNodes<double> exact_gradient = exact;
    gradient.Clear();
    exact_gradient.Clear();
    Score<float>(*decoder, routing.problem(), nodes.view(), decoded,
                 {.weights = SomeWeights(6), .gradient = gradient.mutable_view()});
    Score<double>(*reference, routing.problem(), exact.view(), same,
                  {.weights = SomeWeights(6), .gradient = exact_gradient.mutable_view()});
    for (int32_t p = 0; p < 6; ++p) {
      EXPECT_NEAR(decoded.log_likelihoods[p], same.log_likelihoods[p], 1e-5 * decoded.lengths[p]);
    }
    for (size_t i = 0; i < nodes.arrays().size(); ++i) {
      for (size_t k = 0; k < nodes.arrays()[i].size(); ++k) {
        ASSERT_NEAR(gradient.arrays()[i][k], exact_gradient.arrays()[i][k], 1e-4)
            << nodes_count << ": array " << i << " element " << k;
      }
    }
  }
}

// By every element of every input, added to what was there.
TEST_P(AttentionDecoderTest, GradientsEqualCentralDifferences) {
  for (const DecoderShape& shape : std::vector<DecoderShape>{{.hidden = 16, .heads = 2, .clip = 6},
                                                             {.hidden = 16, .heads = 4}}) {
    const auto decoder = Make<double>(shape);
    for (const CaseOptions& options :
         {CaseOptions{.nodes = 7}, CaseOptions{.nodes = 6, .tsp = true},
          CaseOptions{.nodes = 7, .windows = true, .distance_limit = true, .backhauls = true}}) {
      for (const double smoothing : {0.0, 0.2}) {
        const RoutingCase routing(options);
        RandomNodes<double> nodes(shape, routing.problem(), 6);
        const bool starts = smoothing == 0 && !options.windows;
        const Decoded<double> decoded = Roll<double>(
            *decoder, routing.problem(), nodes.view(),
            {.choice = StepChoice::kSample, .trajectories = 4, .distinct_starts = starts});
        const SecondPassOptions<double> plain = {
            .distinct_starts = starts, .label_smoothing = smoothing, .weights = SomeWeights(4)};
        const auto loss = [&] {
          const std::vector<double> terms =
              Score<double>(*decoder, routing.problem(), nodes.view(), decoded, plain);
          double sum = 0;
          for (size_t p = 0; p < terms.size(); ++p) sum += plain.weights[p] * terms[p];
          return sum;
        };
        RandomNodes<double> gradient = nodes;
        for (auto& array : gradient.arrays()) array.assign(array.size(), 0.5);
        SecondPassOptions<double> with_gradient = plain;
        with_gradient.gradient = gradient.mutable_view();
        Score<double>(*decoder, routing.problem(), nodes.view(), decoded, with_gradient);
        for (size_t i = 0; i < nodes.arrays().size(); ++i) {
          for (size_t k = 0; k < nodes.arrays()[i].size(); k += 3) {
            double& value = nodes.arrays()[i][k];
            const double before = value;
            value = before + 1e-5;
            const double above = loss();
            value = before - 1e-5;
            const double below = loss();
            value = before;
            ASSERT_NEAR(gradient.arrays()[i][k] - 0.5, (above - below) / 2e-5, 1e-7)
                << CaseName(options) << ": array " << i << " element " << k;
          }
        }
      }
    }
  }
}

TEST_P(AttentionDecoderTest, SmoothedTermsEqualPlainLoops) {
  const DecoderShape shape = {.hidden = 32, .heads = 4};
  const auto decoder = Make<double>(shape);
  const RoutingCase routing({.nodes = 15});
  const RandomNodes<double> nodes(shape, routing.problem(), 8);
  const Decoded<double> decoded = Roll<double>(*decoder, routing.problem(), nodes.view(),
                                               {.choice = StepChoice::kSample, .trajectories = 3});
  const std::vector<double> terms =
      Score<double>(*decoder, routing.problem(), nodes.view(), decoded,
                    {.label_smoothing = 0.3, .weights = SomeWeights(3)});
  for (int32_t p = 0; p < 3; ++p) {
    const std::vector<int32_t> choices = decoded.Choices(p);
    const PlainTrajectory plain =
        PlainRollout(shape, routing.problem(), nodes.view(), false, 0.3,
                     [&](int32_t t, const std::vector<double>&) { return choices[t]; });
    EXPECT_NEAR(terms[p], plain.log_likelihood, 1e-10);
  }
}

TEST_P(AttentionDecoderTest, StartsAreDistinctAndNotTheNetworks) {
  const DecoderShape shape = {.hidden = 16, .heads = 2};
  const auto decoder = Make<double>(shape);
  for (const bool tsp : {false, true}) {
    const RoutingCase routing({.nodes = 6, .tsp = tsp});
    const RandomNodes<double> nodes(shape, routing.problem(), 8);
    const int32_t starts = tsp ? 6 : 5;
    const Decoded<double> decoded =
        Roll<double>(*decoder, routing.problem(), nodes.view(),
                     {.trajectories = starts + 2, .distinct_starts = true});
    for (int32_t p = 0; p < starts + 2; ++p) {
      EXPECT_EQ(decoded.Choices(p)[0], p % starts + (tsp ? 0 : 1));
      const std::vector<int32_t> choices = decoded.Choices(p);
      const PlainTrajectory plain =
          PlainRollout(shape, routing.problem(), nodes.view(), true, 0,
                       [&](int32_t t, const std::vector<double>&) { return choices[t]; });
      EXPECT_NEAR(decoded.log_likelihoods[p], plain.log_likelihood, 1e-10);
      EXPECT_EQ(decoded.agreements[p], decoded.lengths[p] - 1);
    }
  }
}

TEST_P(AttentionDecoderTest, SamplesFollowTheDistribution) {
  const DecoderShape shape = {.hidden = 16, .heads = 2, .clip = 2};
  const auto decoder = Make<float>(shape);
  const RoutingCase routing({.nodes = 9});
  const RandomNodes<float> nodes(shape, routing.problem(), 8);
  const RandomNodes<double> exact(shape, routing.problem(), 8);
  constexpr int32_t kDraws = 20'000;
  const Decoded<float> decoded =
      Roll<float>(*decoder, routing.problem(), nodes.view(),
                  {.choice = StepChoice::kSample, .trajectories = kDraws, .seed = 11});
  std::vector<int32_t> counts(9);
  for (int32_t p = 0; p < kDraws; ++p) ++counts[decoded.Choices(p)[0]];
  const StepRules rules = MakeStepRules(routing.problem());
  std::vector<uint8_t> visited(9);
  const RouteState state = BeginTrajectory(rules, visited.data());
  const std::vector<double> scores =
      PlainLogLikelihoods(shape, rules, exact.view(), state, visited);
  EXPECT_EQ(counts[0], 0);
  double chi_square = 0;
  for (int32_t n = 1; n < 9; ++n) {
    const double wanted = kDraws * std::exp(scores[n]);
    chi_square += (counts[n] - wanted) * (counts[n] - wanted) / wanted;
  }
  EXPECT_LT(chi_square, 24.3);  // 7 degrees of freedom: one in a thousand
  EXPECT_GT(chi_square, 0.5);   // likewise: no accident
}

TEST_P(AttentionDecoderTest, LargeInstancesAndTheSmallestWork) {
  const DecoderShape shape = {};
  const auto decoder = Make<float>(shape);
  for (const int32_t count : {2, 3, 700}) {
    for (const bool tsp : {false, true}) {
      const RoutingCase routing({.nodes = count, .tsp = tsp});
      const RandomNodes<float> nodes(shape, routing.problem(), 8);
      const Decoded<float> decoded =
          Roll<float>(*decoder, routing.problem(), nodes.view(), {.trajectories = 3});
      ASSERT_EQ(decoded.status, DecodeStatus::kDone);
      const CheckReport report =
          CheckPlan(routing.instance(), routing.PlanOf(decoded.Choices(0)), decoded.costs[0]);
      EXPECT_TRUE(report.feasible) << report.violations.front().message;
      EXPECT_EQ(Score<float>(*decoder, routing.problem(), nodes.view(), decoded,
                             {.weights = SomeWeights(3)}),
                decoded.log_likelihoods);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, AttentionDecoderTest, testing::ValuesIn(UsableIsas()),
                         [](const auto& test) { return std::string(IsaName(test.param)); });

}  // namespace
}  // namespace vrp
