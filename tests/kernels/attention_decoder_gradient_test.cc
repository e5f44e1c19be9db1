#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/kernels/decoder/attention_decoder.h"
#include "tests/kernels/decode.h"
#include "tests/kernels/decoder_kinds.h"
#include "tests/kernels/plain_decoder.h"
#include "tests/kernels/routing_case.h"

namespace vrp {
namespace {

class SecondPassTest : public testing::TestWithParam<DecoderKind> {
 protected:
  template <typename T>
  std::unique_ptr<AttentionDecoder<T>> Make(const DecoderShape& shape) const {
    return MakeDecoderOfKind<T>(GetParam(), shape);
  }
};

TEST_P(SecondPassTest, ReturnsTheRolloutsLogLikelihoodsBitForBit) {
  const DecoderShape shape = {};
  const auto decoder = Make<float>(shape);
  for (const int32_t nodes_count : {2, 5, 16, 33, 51, 101}) {
    for (const int32_t trajectories : {1, 50}) {
      const RoutingCase routing({.nodes = nodes_count, .windows = nodes_count == 33});
      const RandomNodes<float> nodes(shape, routing.problem(), 5);
      const Decoded<float> decoded =
          RunRollout<float>(*decoder, routing.problem(), nodes.view(),
                            {.choice = StepChoice::kSample, .trajectories = trajectories});
      ASSERT_EQ(decoded.status, DecodeStatus::kDone);
      EXPECT_EQ(Score<float>(*decoder, routing.problem(), nodes.view(), decoded,
                             {.weights = TestWeights(trajectories)}),
                decoded.log_likelihoods)
          << nodes_count << ", " << trajectories;
    }
  }
}

TEST_P(SecondPassTest, FloatResultsAreCloseToDouble) {
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
    const Decoded<float> decoded =
        RunRollout<float>(*decoder, routing.problem(), nodes.view(),
                          {.choice = StepChoice::kSample, .trajectories = 6});
    Decoded<double> reference_decoded =
        RunRollout<double>(*reference, routing.problem(), exact.view(),
                           {.choice = StepChoice::kForced,
                            .trajectories = 6,
                            .forced_choices = decoded.choices.data()});
    RandomNodes<float> gradient = nodes;
    RandomNodes<double> exact_gradient = exact;
    gradient.Clear();
    exact_gradient.Clear();
    Score<float>(*decoder, routing.problem(), nodes.view(), decoded,
                 {.weights = TestWeights(6), .gradient = gradient.mutable_view()});
    Score<double>(*reference, routing.problem(), exact.view(), reference_decoded,
                  {.weights = TestWeights(6), .gradient = exact_gradient.mutable_view()});
    for (int32_t p = 0; p < 6; ++p) {
      EXPECT_NEAR(decoded.log_likelihoods[p], reference_decoded.log_likelihoods[p],
                  1e-5 * decoded.lengths[p]);
    }
    for (size_t i = 0; i < nodes.arrays().size(); ++i) {
      for (size_t k = 0; k < nodes.arrays()[i].size(); ++k) {
        ASSERT_NEAR(gradient.arrays()[i][k], exact_gradient.arrays()[i][k], 1e-4)
            << nodes_count << ": array " << i << " element " << k;
      }
    }
  }
}

// Checks the gradient with respect to every third element of each input. Also checks that the
// second pass adds the gradient to the old values.
TEST_P(SecondPassTest, GradientsEqualCentralDifferences) {
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
        const Decoded<double> decoded = RunRollout<double>(
            *decoder, routing.problem(), nodes.view(),
            {.choice = StepChoice::kSample, .trajectories = 4, .distinct_starts = starts});
        const SecondPassOptions<double> plain = {
            .distinct_starts = starts, .label_smoothing = smoothing, .weights = TestWeights(4)};
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

TEST_P(SecondPassTest, SmoothedTermsEqualPlainLoops) {
  const DecoderShape shape = {.hidden = 32, .heads = 4};
  const auto decoder = Make<double>(shape);
  const RoutingCase routing({.nodes = 15});
  const RandomNodes<double> nodes(shape, routing.problem(), 8);
  const Decoded<double> decoded =
      RunRollout<double>(*decoder, routing.problem(), nodes.view(),
                         {.choice = StepChoice::kSample, .trajectories = 3});
  const std::vector<double> terms =
      Score<double>(*decoder, routing.problem(), nodes.view(), decoded,
                    {.label_smoothing = 0.3, .weights = TestWeights(3)});
  for (int32_t p = 0; p < 3; ++p) {
    const std::vector<int32_t> choices = decoded.Choices(p);
    const PlainTrajectory plain =
        PlainRollout(shape, routing.problem(), nodes.view(), false, 0.3,
                     [&](int32_t t, const std::vector<double>&) { return choices[t]; });
    EXPECT_NEAR(terms[p], plain.log_likelihood, 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SecondPassTest, testing::ValuesIn(DecoderKinds()),
                         [](const auto& test) { return DecoderKindName(test.param); });

}  // namespace
}  // namespace vrp
