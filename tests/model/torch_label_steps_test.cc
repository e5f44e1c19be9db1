// Tests captured steps that learn from labels, on the CPU. tests/train/training_device_test.cc
// compares them with the host's steps.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/torch/engines.h"
#include "core/model/torch/label_steps.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/model/torch_step_stream.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

constexpr int32_t kLabelledInstances = 4;
constexpr int32_t kLabelledCustomers = 6;

class TorchLabelStepsTest : public testing::Test {
 protected:
  TorchLabelStepsTest() {
    EngineOptions options;
    options.step_stream = [this] { return test::TorchStepStream({.counts = &counts_}); };
    engine_ = *test::TorchPointer({.hidden = 16, .layers = 2, .dropout = 0.2},
                                  {.device = {}, .options = options});
    mean_.resize(static_cast<size_t>(engine_->parameters().size()));
    square_ = mean_;
    state_ = {.mean = mean_, .square = square_};
    UseSteps(1);
  }

  // Makes steps_ in `parts` parts, which start from state_.
  void UseSteps(int32_t parts) {
    steps_ = *engine_->MakeCapturedSteps({.instances = kLabelledInstances,
                                          .nodes = kLabelledCustomers + 1,
                                          .parts = parts,
                                          .labels = true,
                                          .dropout = true,
                                          .learning_rates = {0.01},
                                          .report_every = 2});
    EXPECT_TRUE(steps_->Load(state_).ok());
  }

  void UseBatch(int32_t instances, int32_t customers = kLabelledCustomers) {
    const std::vector<Instance> made =
        *GenerateInstances({.customers = customers, .seed = 3}, instances);
    batch_ = test::BatchOf(made, NodeOrder::kByAngle);
    labels_ = test::SampleLabels(batch_);
  }
  absl::Status Step(double teacher_forcing = 1) {
    return steps_->StepOnLabels({.choices = labels_,
                                 .steps = test::ChoicesIn(labels_),
                                 .cost = 12.5,
                                 .teacher_forcing = teacher_forcing},
                                batch_);
  }
  CapturedStepReport LastReport() {
    EXPECT_TRUE(steps_->Save(state_).ok());
    return steps_->TakeReports().back();
  }

  test::StepStreamCounts counts_;
  std::unique_ptr<PolicyEngine> engine_;
  std::vector<float> mean_;
  std::vector<float> square_;
  CapturedStepsState state_;
  std::unique_ptr<CapturedSteps> steps_;
  NetworkBatch batch_;
  std::vector<std::vector<int32_t>> labels_;
};

TEST_F(TorchLabelStepsTest, ReportLossAccuracyAndTheLabelsCost) {
  UseBatch(kLabelledInstances);
  for (int step = 0; step < 40; ++step) ASSERT_TRUE(Step(step < 20 ? 1 : 0.7).ok());
  ASSERT_TRUE(steps_->Save(state_).ok());
  const std::vector<CapturedStepReport> reports = steps_->TakeReports();
  ASSERT_EQ(reports.size(), 40);
  for (const CapturedStepReport& report : reports) {
    EXPECT_TRUE(report.applied);
    EXPECT_EQ(report.cost, 12.5);
    EXPECT_EQ(report.instances, kLabelledInstances);
    EXPECT_EQ(report.stuck, 0);
    EXPECT_GT(report.gradient_norm, 0);
  }
  // The network must overfit its four labels.
  EXPECT_LT(reports.back().loss, 0.7 * reports.front().loss);
  EXPECT_GT(reports.back().accuracy, reports.front().accuracy);
  EXPECT_EQ(counts_.captures, 2);  // one with labels only, one also with own choices
}

TEST_F(TorchLabelStepsTest, AcceptSmallerBatches) {
  UseBatch(1);
  ASSERT_TRUE(Step().ok());
  const CapturedStepReport few = LastReport();
  EXPECT_EQ(few.instances, 1);
  EXPECT_EQ(few.stuck, 0);
  const auto alone = *test::TorchPointer({.hidden = 16, .layers = 2, .dropout = 0.2}, {});
  alone->parameters().TrackGradient();
  const double weight = -1 / static_cast<double>(test::ChoicesIn(labels_));
  const auto outcome = alone->AddGradient(
      batch_,
      {.rollout = {.choice = Choice::kForced, .stream = 1, .choices = labels_}, .dropout = true},
      [weight](int64_t, std::span<const double>, std::span<double> weights) {
        std::fill(weights.begin(), weights.end(), weight);
      });
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_NEAR(few.loss, outcome->loss, 1e-6);
  double squares = 0;
  for (const float one : alone->parameters().gradient()) squares += double{one} * one;
  EXPECT_NEAR(few.gradient_norm, std::sqrt(squares), 1e-5);
}

TEST_F(TorchLabelStepsTest, UseTheLengthOfTheLongestLabel) {
  for (const double capacity : {60, 9, 60, 9, 60, 9}) {  // labels of 6 choices, and of up to 11
    batch_ = test::BatchOf(
        *GenerateInstances({.customers = kLabelledCustomers, .seed = 3, .capacity = capacity},
                           kLabelledInstances),
        NodeOrder::kByAngle);
    labels_ = test::SampleLabels(batch_);
    ASSERT_TRUE(Step().ok());
    EXPECT_EQ(LastReport().stuck, 0);
  }
  EXPECT_EQ(counts_.captures, 2);
  EXPECT_EQ(counts_.replays, 4);
}

// The last steps have so few instances that some parts are empty.
TEST_F(TorchLabelStepsTest, EqualStepsOfTheWholeBatchIfDividedIntoParts) {
  const std::vector<float> initial(engine_->parameters().values().begin(),
                                   engine_->parameters().values().end());
  std::vector<CapturedStepReport> reports[2];
  for (const bool divided : {false, true}) {
    std::copy(initial.begin(), initial.end(), engine_->parameters().values().begin());
    std::fill(mean_.begin(), mean_.end(), 0.0F);
    std::fill(square_.begin(), square_.end(), 0.0F);
    state_ = {.mean = mean_, .square = square_};
    UseSteps(divided ? 3 : 1);
    for (const int32_t instances :
         {kLabelledInstances, kLabelledInstances, kLabelledInstances - 1, 2, 1}) {
      UseBatch(instances);
      ASSERT_TRUE(Step(instances == kLabelledInstances ? 1 : 0.6).ok());
    }
    ASSERT_TRUE(steps_->Save(state_).ok());
    reports[divided] = steps_->TakeReports();
  }
  ASSERT_EQ(reports[0].size(), 5);
  ASSERT_EQ(reports[1].size(), 5);
  for (size_t i = 0; i < reports[0].size(); ++i) {
    SCOPED_TRACE(i + 1);
    const CapturedStepReport& expected = reports[0][i];
    const CapturedStepReport& actual = reports[1][i];
    EXPECT_NEAR(actual.loss, expected.loss, 1e-5);
    EXPECT_NEAR(actual.gradient_norm, expected.gradient_norm, 1e-4 * expected.gradient_norm);
    EXPECT_EQ(actual.accuracy, expected.accuracy);
    EXPECT_EQ(actual.cost, expected.cost);
    EXPECT_EQ(actual.instances, expected.instances);
    EXPECT_EQ(actual.stuck, 0);
  }
}

TEST_F(TorchLabelStepsTest, CountForbiddenLabelsOfAllParts) {
  UseSteps(3);
  UseBatch(kLabelledInstances);
  labels_[0].back() = labels_[0].front();
  labels_[3].pop_back();
  ASSERT_TRUE(Step().ok());
  EXPECT_EQ(LastReport().stuck, 2);
}

TEST_F(TorchLabelStepsTest, CountForbiddenLabels) {
  UseBatch(kLabelledInstances);
  labels_[1].back() = labels_[1].front();
  labels_[3].pop_back();
  ASSERT_TRUE(Step().ok());
  EXPECT_EQ(LastReport().stuck, 2);
}

TEST_F(TorchLabelStepsTest, SkipStepsWithNonFiniteLoss) {
  engine_->parameters().values()[7] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(steps_->Load(state_).ok());
  UseBatch(kLabelledInstances);
  ASSERT_TRUE(Step(0.5).ok());
  EXPECT_FALSE(LastReport().applied);
  EXPECT_EQ(state_.updates, 0);
}

TEST_F(TorchLabelStepsTest, ContinueAfterARefusedBatch) {
  const auto expect = [this](const std::string& why) {
    const absl::Status status = Step();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), why);
  };
  UseBatch(kLabelledInstances + 1);
  expect("step: got 5 instances of up to 7 nodes, wanted at most 4 of up to 7 nodes without a TSP");
  UseBatch(kLabelledInstances, kLabelledCustomers + 1);
  expect("step: got 4 instances of up to 8 nodes, wanted at most 4 of up to 7 nodes without a TSP");
  UseBatch(kLabelledInstances);
  labels_[2].resize(12, 0);
  expect("step: got 4 labels of up to 12 choices, wanted 4 of up to 11");
  labels_.pop_back();
  labels_[2].resize(2);
  const std::string few = "step: got 3 labels";
  EXPECT_EQ(Step().message().substr(0, few.size()), few);
  EXPECT_EQ(steps_->Step(StepBaseline::kShared, batch_).message(),
            "step: got a baseline, wanted labels");
  UseBatch(kLabelledInstances);
  EXPECT_TRUE(Step().ok());
  EXPECT_EQ(LastReport().step, 1);
}

}  // namespace
}  // namespace vrp
