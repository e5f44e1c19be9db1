// Our graph transformer against what rl4co says of the same networks, instances and tours
// (tests/data/parity, made by make_reference.py).
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/parity/parity_case.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

constexpr double kTolerance = 1e-4;

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

  std::unique_ptr<ParityCase> case_;
  std::unique_ptr<PolicyEngine> network_;
};

TEST_P(ParityTest, LikelihoodsOfToursAreThoseOfRl4co) {
  const absl::StatusOr<Trajectories> followed =
      network_->Run(case_->batch(), case_->Follow(nullptr));
  ASSERT_TRUE(followed.ok()) << followed.status();
  EXPECT_THAT(followed->log_likelihoods, testing::Pointwise(testing::DoubleNear(kTolerance),
                                                            ExpectedDoubles("log_likelihoods")));
}

TEST_P(ParityTest, GreedyToursAreThoseOfRl4co) {
  RolloutRequest request = case_->Follow(nullptr);
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

// Errors count by the largest element of a parameter's gradient; where that is nothing but rounding
// (the keys' biases, which softmax ignores) by a tenth of the largest of all.
TEST_P(ParityTest, GradientsAreThoseOfRl4co) {
  network_->parameters().TrackGradient();
  GradientRequest request;
  request.rollout = case_->Follow(nullptr);
  const absl::StatusOr<GradientOutcome> outcome =
      network_->AddGradient(case_->batch(), request,
                            [&](int64_t first, std::span<const double>, std::span<double> weights) {
                              case_->Weigh(first, weights);
                            });
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const FlatParameters& parameters = network_->parameters();
  double largest = 0;
  for (const ParameterShape& shape : parameters.layout().shapes()) {
    const std::vector<float> expected = *ReadFloats(case_->file(), "gradient." + shape.name);
    for (const float value : expected) {
      if (!std::isnan(value)) largest = std::max(largest, std::abs(double{value}));
    }
  }
  ASSERT_GT(largest, 0);
  for (const ParameterShape& shape : parameters.layout().shapes()) {
    const std::vector<float> expected = *ReadFloats(case_->file(), "gradient." + shape.name);
    const auto actual = parameters.gradient().subspan(parameters.layout().Offset(shape.name));
    double scale = 0.1 * largest;
    double error = 0;
    for (size_t k = 0; k < expected.size(); ++k) {
      if (std::isnan(expected[k])) continue;  // not in rl4co's network
      scale = std::max(scale, std::abs(double{expected[k]}));
      error = std::max(error, std::abs(double{expected[k]} - actual[k]));
    }
    EXPECT_LE(error / scale, kTolerance) << shape.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, ParityTest,
                         testing::Values("am_cvrp_instance_norm", "am_cvrp_batch_norm",
                                         "am_tsp_instance_norm", "pomo_cvrp"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace vrp
