// Compares our graph transformer with rl4co's results for the same networks, instances and tours
// (tests/data/parity, made by make_reference.py).
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/parity/parity_case.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

constexpr double kTolerance = 1e-4;    // for float32; relative for gradients
constexpr double kTolerance64 = 1e-6;  // for float64; relative for gradients
// Share of the largest gradient, in float64, below which a parameter's gradient is only rounding.
// Such parameters are the biases of keys, which softmax ignores, and biases before an instance
// norm.
constexpr double kZero = 1e-9;
// Additional tolerance of float32, as a share of the largest gradient. It matters if terms nearly
// cancel. Norms leave a ten-thousandth of the gradient of a TSP's embedding bias, so that even
// rl4co's own float32 gradient has an error of 5 %. The tests in float64 show that this tolerance
// hides no other error.
constexpr double kRounding = 5e-6;

class ParityTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    absl::StatusOr<ParityCase> read =
        ParityCase::Read(test::DataPath("parity/" + std::string(GetParam()) + ".safetensors"));
    ASSERT_TRUE(read.ok()) << read.status();
    case_ = std::make_unique<ParityCase>(*std::move(read));
    absl::StatusOr<std::unique_ptr<PolicyEngine>> network = case_->MakeNetwork();
    ASSERT_TRUE(network.ok()) << network.status();
    network_ = *std::move(network);
  }

  std::vector<double> ExpectedDoubles(const char* name) const {
    return *ReadDoubles(case_->file(), name);
  }

  // Adds the gradient of the case's loss. Returns the log-likelihoods of the case's tours.
  std::vector<double> Differentiate(PolicyEngine& network) const {
    network.parameters().TrackGradient();
    GradientRequest request;
    request.rollout = case_->ForcedRequest(nullptr);
    const absl::StatusOr<GradientOutcome> outcome =
        network.AddGradient(case_->batch(), request,
                            [&](int64_t first, std::span<const double>, std::span<double> weights) {
                              case_->CopyWeights(first, weights);
                            });
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    return outcome.ok() ? outcome->trajectories.log_likelihoods : std::vector<double>{};
  }

  // Expects small errors, divided by the largest gradient of their parameter. If that gradient is
  // only rounding, divides by the largest of all parameters.
  void ExpectGradient(std::span<const double> actual, double tolerance, double rounding) const {
    std::map<std::string, std::vector<double>> expected;
    std::map<std::string, double> largest;
    double overall = 0;
    const ParameterLayout& layout = network_->parameters().layout();
    for (const ParameterShape& shape : layout.shapes()) {
      const std::string& name = shape.name;
      expected[name] = ExpectedDoubles(("gradient." + name).c_str());
      for (const double value : expected[name]) {
        if (!std::isnan(value)) largest[name] = std::max(largest[name], std::abs(value));
      }
      overall = std::max(overall, largest[name]);
    }
    ASSERT_GT(overall, 0);
    for (const auto& [name, values] : expected) {
      const auto ours = actual.subspan(layout.Offset(name), values.size());
      double error = 0;
      for (size_t k = 0; k < values.size(); ++k) {
        if (!std::isnan(values[k])) error = std::max(error, std::abs(values[k] - ours[k]));
      }  // NaN: rl4co's network has no such parameter
      const double scale = largest[name] > kZero * overall ? largest[name] : overall;
      EXPECT_LE(error, std::max(tolerance * scale, rounding * overall))
          << name << ", largest gradient " << scale;
    }
  }

  std::unique_ptr<ParityCase> case_;
  std::unique_ptr<PolicyEngine> network_;
};

TEST_P(ParityTest, ReproducesTheLikelihoodsOfRl4co) {
  const absl::StatusOr<Trajectories> forced =
      network_->Run(case_->batch(), case_->ForcedRequest(nullptr));
  ASSERT_TRUE(forced.ok()) << forced.status();
  EXPECT_THAT(forced->log_likelihoods, testing::Pointwise(testing::DoubleNear(kTolerance),
                                                          ExpectedDoubles("log_likelihoods")));
}

TEST_P(ParityTest, ReproducesTheGreedyToursOfRl4co) {
  RolloutRequest request = case_->ForcedRequest(nullptr);
  request.choice = Choice::kGreedy;
  request.choices = {};
  const absl::StatusOr<Trajectories> greedy = network_->Run(case_->batch(), request);
  ASSERT_TRUE(greedy.ok()) << greedy.status();
  const std::vector<int32_t> actions = *ReadIntegers(case_->file(), "greedy");
  const int64_t steps = case_->file().Find("greedy")->shape[2];
  const auto expected = SplitTours(actions, steps, case_->batch().problems[0].tsp);
  for (size_t k = 0; k < expected.size(); ++k) {
    EXPECT_THAT(greedy->Choices(static_cast<int64_t>(k)), testing::ElementsAreArray(expected[k]));
  }
  EXPECT_THAT(greedy->costs,
              testing::Pointwise(testing::DoubleNear(kTolerance), ExpectedDoubles("greedy_costs")));
}

TEST_P(ParityTest, ReproducesTheGradientsOfRl4co) {
  Differentiate(*network_);
  const std::span<const float> gradient = network_->parameters().gradient();
  ExpectGradient(std::vector<double>(gradient.begin(), gradient.end()), kTolerance, kRounding);
}

TEST_P(ParityTest, ReproducesLikelihoodsAndGradientsToSixDigitsInFloat64) {
  const absl::StatusOr<std::unique_ptr<Float64Engine>> network = case_->MakeFloat64Network();
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_THAT(Differentiate(**network), testing::Pointwise(testing::DoubleNear(kTolerance64),
                                                           ExpectedDoubles("log_likelihoods")));
  ExpectGradient((*network)->LastGradient(), kTolerance64, 0);
}

INSTANTIATE_TEST_SUITE_P(Networks, ParityTest,
                         testing::Values("am_cvrp_instance_norm", "am_cvrp_batch_norm",
                                         "am_tsp_instance_norm", "pomo_cvrp"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace vrp
