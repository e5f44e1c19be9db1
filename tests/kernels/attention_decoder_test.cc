#include "core/kernels/decoder/attention_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/random.h"
#include "core/problem/checker/checker.h"
#include "tests/kernels/decode.h"
#include "tests/kernels/decoder_kinds.h"
#include "tests/kernels/plain_decoder.h"
#include "tests/kernels/routing_case.h"

namespace vrp {
namespace {

int32_t Likeliest(const std::vector<double>& scores) {
  return static_cast<int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

class AttentionDecoderTest : public testing::TestWithParam<DecoderKind> {
 protected:
  template <typename T>
  std::unique_ptr<AttentionDecoder<T>> Make(const DecoderShape& shape) const {
    return MakeDecoderOfKind<T>(GetParam(), shape);
  }
};

TEST_P(AttentionDecoderTest, GreedyRolloutsOfEveryVariantEqualPlainLoopsAndPassTheChecker) {
  const DecoderShape shape = {.hidden = 32, .heads = 4, .clip = 8};
  const auto decoder = Make<double>(shape);
  for (const CaseOptions& options : AllCases(13)) {
    const RoutingCase routing(options);
    const RandomNodes<double> nodes(shape, routing.problem(), options.seed);
    const Decoded<double> decoded =
        RunRollout<double>(*decoder, routing.problem(), nodes.view(), {.trajectories = 1});
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

TEST_P(AttentionDecoderTest, SamplesOfEveryVariantEqualPlainLoopsAndPassTheChecker) {
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
        RunRollout<double>(*decoder, routing.problem(), nodes.view(), request);
    ASSERT_EQ(decoded.status, DecodeStatus::kDone);
    for (int32_t p = 0; p < request.trajectories; ++p) {
      const PlainTrajectory plain = PlainRollout(
          shape, routing.problem(), nodes.view(), false, 0,
          [&](int32_t t, const std::vector<double>& scores) {
            const PhiloxCounter block =
                PhiloxBlock({{0x3456789a, 0x12}},
                            {{static_cast<uint32_t>(t) + (3u << 20), 1u + p, 0xcdef0123, 0xab}});
            double left = UnitDouble(block.words[0] | (uint64_t{block.words[1]} << 32));
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

TEST_P(AttentionDecoderTest, ForcedDecodingReturnsTheSamplesLogLikelihoods) {
  const DecoderShape shape = {.hidden = 48, .heads = 3};
  const auto decoder = Make<double>(shape);
  const RoutingCase routing({.nodes = 20});
  const RandomNodes<double> nodes(shape, routing.problem(), 3);
  const DecodeRequest sample = {.choice = StepChoice::kSample, .trajectories = 7};
  const Decoded<double> sampled =
      RunRollout<double>(*decoder, routing.problem(), nodes.view(), sample);
  const Decoded<double> forced = RunRollout<double>(
      *decoder, routing.problem(), nodes.view(),
      {.choice = StepChoice::kForced, .trajectories = 7, .forced_choices = sampled.choices.data()});
  EXPECT_EQ(forced.choices, sampled.choices);
  EXPECT_EQ(forced.log_likelihoods, sampled.log_likelihoods);
  EXPECT_EQ(forced.agreements, sampled.agreements);
  EXPECT_EQ(forced.costs, sampled.costs);
}

TEST_P(AttentionDecoderTest, RejectsForcedChoicesThatAreNotAllowed) {
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
    EXPECT_EQ(RunRollout<float>(*decoder, routing.problem(), nodes.view(),
                                {.choice = StepChoice::kForced, .forced_choices = choices.data()})
                  .status,
              DecodeStatus::kForbidden);
  }
}

TEST_P(AttentionDecoderTest, ReportsAnUnreachableCustomer) {
  const DecoderShape shape = {.hidden = 16, .heads = 2};
  const auto decoder = Make<float>(shape);
  RoutingCase routing({.nodes = 4});
  routing.problem().distance_limit = 10;
  const RandomNodes<float> nodes(shape, routing.problem(), 3);
  EXPECT_EQ(RunRollout<float>(*decoder, routing.problem(), nodes.view(), {}).status,
            DecodeStatus::kUnreachable);
}

TEST_P(AttentionDecoderTest, StopsWhenCancelled) {
  const DecoderShape shape = {.hidden = 16, .heads = 2};
  const auto decoder = Make<float>(shape);
  const RoutingCase routing({.nodes = 30});
  const RandomNodes<float> nodes(shape, routing.problem(), 3);
  const auto flag = std::make_shared<CancelFlag>();
  flag->Cancel();
  const DecodeRequest request = {.stop = StopCondition(absl::InfiniteFuture(), flag)};
  EXPECT_EQ(RunRollout<float>(*decoder, routing.problem(), nodes.view(), request).status,
            DecodeStatus::kStopped);
}

TEST_P(AttentionDecoderTest, ResultsDoNotDependOnTheTrajectoriesDecodedTogether) {
  const DecoderShape shape = {};
  const auto decoder = Make<float>(shape);
  for (const int32_t count : {3, 17, 30, 41}) {
    for (const bool tsp : {false, true}) {
      const RoutingCase routing({.nodes = 37, .tsp = tsp});
      const RandomNodes<float> nodes(shape, routing.problem(), 5);
      const DecodeRequest all = {.choice = StepChoice::kSample, .trajectories = count};
      const Decoded<float> together =
          RunRollout<float>(*decoder, routing.problem(), nodes.view(), all);
      for (int32_t p = 0; p < count; ++p) {
        DecodeRequest one = all;
        one.trajectories = 1;
        one.first_trajectory = p;
        const Decoded<float> alone =
            RunRollout<float>(*decoder, routing.problem(), nodes.view(), one);
        ASSERT_EQ(alone.Choices(0), together.Choices(p)) << p << " of " << count;
        ASSERT_EQ(alone.log_likelihoods[0], together.log_likelihoods[p]) << p << " of " << count;
      }
    }
  }
}

TEST_P(AttentionDecoderTest, DistinctStartsDoNotCountAsTheNetworksChoices) {
  const DecoderShape shape = {.hidden = 16, .heads = 2};
  const auto decoder = Make<double>(shape);
  for (const bool tsp : {false, true}) {
    const RoutingCase routing({.nodes = 6, .tsp = tsp});
    const RandomNodes<double> nodes(shape, routing.problem(), 8);
    const int32_t starts = tsp ? 6 : 5;
    const Decoded<double> decoded =
        RunRollout<double>(*decoder, routing.problem(), nodes.view(),
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

TEST_P(AttentionDecoderTest, MakesValidPlansFromNanInputs) {
  const DecoderShape shape = {.hidden = 16, .heads = 2};
  const auto decoder = Make<float>(shape);
  const RoutingCase routing({.nodes = 20});
  RandomNodes<float> nodes(shape, routing.problem(), 8);
  for (auto& array : nodes.arrays()) array.assign(array.size(), std::nanf(""));
  for (const StepChoice choice : {StepChoice::kGreedy, StepChoice::kSample}) {
    const Decoded<float> decoded = RunRollout<float>(*decoder, routing.problem(), nodes.view(),
                                                     {.choice = choice, .trajectories = 18});
    ASSERT_EQ(decoded.status, DecodeStatus::kDone);
    for (int32_t p = 0; p < 18; ++p) {
      EXPECT_TRUE(std::isnan(decoded.log_likelihoods[p]));
      const CheckReport report =
          CheckPlan(routing.instance(), routing.PlanOf(decoded.Choices(p)), decoded.costs[p]);
      EXPECT_TRUE(report.feasible) << report.violations.front().message;
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
      RunRollout<float>(*decoder, routing.problem(), nodes.view(),
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
  EXPECT_LT(chi_square, 24.3);  // 7 degrees of freedom, probability 0.001
  EXPECT_GT(chi_square, 0.5);   // a better fit would be suspicious
}

TEST_P(AttentionDecoderTest, HandlesTheSmallestAndLargeInstances) {
  const DecoderShape shape = {};
  const auto decoder = Make<float>(shape);
  for (const int32_t count : {2, 3, 700}) {
    for (const bool tsp : {false, true}) {
      const RoutingCase routing({.nodes = count, .tsp = tsp});
      const RandomNodes<float> nodes(shape, routing.problem(), 8);
      const Decoded<float> decoded =
          RunRollout<float>(*decoder, routing.problem(), nodes.view(), {.trajectories = 3});
      ASSERT_EQ(decoded.status, DecodeStatus::kDone);
      const CheckReport report =
          CheckPlan(routing.instance(), routing.PlanOf(decoded.Choices(0)), decoded.costs[0]);
      EXPECT_TRUE(report.feasible) << report.violations.front().message;
      EXPECT_EQ(Score<float>(*decoder, routing.problem(), nodes.view(), decoded,
                             {.weights = TestWeights(3)}),
                decoded.log_likelihoods);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, AttentionDecoderTest, testing::ValuesIn(DecoderKinds()),
                         [](const auto& test) { return DecoderKindName(test.param); });

}  // namespace
}  // namespace vrp
