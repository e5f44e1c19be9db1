// Tests captured steps of REINFORCE, on the CPU. tests/train/training_device_test.cc compares them
// with the host's steps.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/model/torch_captured_steps_fixture.h"
#include "tests/model/torch_memory.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

class ReinforceStepsTest : public test::CapturedStepsFixture {};

TEST_F(ReinforceStepsTest, ReportStepsOnceTheirCopyHasFinished) {
  const auto steps = MakeSteps({.trajectories = 2});
  std::vector<size_t> reported;
  for (int64_t step = 1; step <= 8; ++step) {
    ASSERT_TRUE(steps->Step(StepBaseline::kShared, BatchOfStep(step)).ok());
    reported.push_back(steps->TakeReports().size());
  }
  EXPECT_EQ(reported, (std::vector<size_t>{0, 0, 0, 0, 0, 3, 0, 0}));
  EXPECT_EQ(counts_.waits, 1);  // Load waits
  ASSERT_TRUE(steps->Save(state_).ok());
  const std::vector<CapturedStepReport> rest = steps->TakeReports();
  ASSERT_EQ(rest.size(), 5);
  EXPECT_EQ(rest.front().step, 4);
  EXPECT_EQ(rest.back().step, 8);
  for (const CapturedStepReport& report : rest) {
    EXPECT_TRUE(report.applied);
    EXPECT_GT(report.cost, 1);
    EXPECT_GT(report.gradient_norm, 0);
    EXPECT_EQ(report.stuck, 0);
  }
  EXPECT_EQ(state_.steps, 8);
  EXPECT_EQ(state_.updates, 8);
}

TEST_F(ReinforceStepsTest, GiveEqualResultsOnInstancesDrawnByTheDevice) {
  constexpr UniformInstances kDrawn = {
      .seed = 77, .customers = kCustomers, .min_capacity = 20, .max_capacity = 20};
  const std::vector<float> begin = Weights();
  std::vector<CapturedStepReport> reports[2];
  std::vector<float> weights[2];
  for (const bool draws : {false, true}) {
    std::copy(begin.begin(), begin.end(), engine_->parameters().values().begin());
    state_ = {.mean = mean_, .square = square_};
    std::fill(mean_.begin(), mean_.end(), 0.0F);
    std::fill(square_.begin(), square_.end(), 0.0F);
    CapturedStepsRequest request = {.trajectories = 2};
    if (draws) request.drawn = kDrawn;
    auto steps = MakeSteps(request);
    for (int64_t step = 1; step <= 10; ++step) {
      if (draws && step == 6) {  // new steps continue from the saved state
        ASSERT_TRUE(steps->Save(state_).ok());
        reports[1] = steps->TakeReports();
        steps = MakeSteps(request);
      }
      const StepBaseline baseline = step < 3 ? StepBaseline::kAverage : StepBaseline::kShared;
      const absl::Status status =
          draws ? steps->Step(baseline) : steps->Step(baseline, BatchOf(77, step - 1));
      ASSERT_TRUE(status.ok()) << status;
    }
    ASSERT_TRUE(steps->Save(state_).ok());
    for (const CapturedStepReport& report : steps->TakeReports()) reports[draws].push_back(report);
    weights[draws] = Weights();
  }
  ASSERT_EQ(reports[1].size(), 10);
  ASSERT_EQ(reports[0].size(), 10);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(reports[1][i].step, reports[0][i].step);
    EXPECT_EQ(reports[1][i].loss, reports[0][i].loss);
    EXPECT_EQ(reports[1][i].cost, reports[0][i].cost);
  }
  EXPECT_EQ(weights[1], weights[0]);
  EXPECT_NE(weights[1], begin);
}

TEST_F(ReinforceStepsTest, NeedABatchUnlessTheDeviceDrawsInstances) {
  constexpr UniformInstances kDrawn = {
      .customers = kCustomers, .min_capacity = 20, .max_capacity = 20};
  EXPECT_EQ(MakeSteps({.drawn = kDrawn})->Step(StepBaseline::kShared, BatchOfStep(1)).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeSteps({})->Step(StepBaseline::kShared).code(), absl::StatusCode::kInvalidArgument);
  const auto larger = engine_->MakeCapturedSteps({.nodes = kCustomers, .drawn = kDrawn});
  EXPECT_EQ(larger.status().message(), "drawn: got instances of up to 7 nodes, wanted at most 6");
}

TEST_F(ReinforceStepsTest, RefuseMorePartsThanInstancesAndZeroParts) {
  for (const int32_t parts : {0, kInstances + 1}) {
    const auto steps = engine_->MakeCapturedSteps(
        {.instances = kInstances, .nodes = 7, .parts = parts, .learning_rates = {0.01}});
    EXPECT_EQ(steps.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(steps.status().message(),
              absl::StrCat("parts: got ", parts, ", wanted 1 to 4, the number of instances"));
  }
}

TEST_F(ReinforceStepsTest, CountTheStuckTrajectoriesOfAllParts) {
  std::vector<Instance> instances(
      kInstances, test::AnInstance().WithCustomers(kCustomers).RandomDemands().Build());
  instances.front() = test::AnInstance().WithCustomers(kCustomers).MaxDistance(1).Build();
  for (const int32_t parts : {1, 3}) {
    const auto steps = MakeSteps({.parts = parts, .trajectories = 2});
    ASSERT_TRUE(
        steps->Step(StepBaseline::kShared, test::BatchOf(instances, NodeOrder::kAsGiven)).ok());
    ASSERT_TRUE(steps->Save(state_).ok());
    EXPECT_EQ(steps->TakeReports().back().stuck, 2);
  }
}

TEST_F(ReinforceStepsTest, UseMemoryForOnePartAtATime) {
  const NetworkBatch batch = BatchOfStep(1);
  const auto peak = [&](int32_t parts) {
    const auto steps = MakeSteps({.parts = parts, .trajectories = 12});
    EXPECT_TRUE(steps->Step(StepBaseline::kShared, batch).ok());  // allocates lasting memory
    const test::TorchMemoryCounter memory;
    EXPECT_TRUE(steps->Step(StepBaseline::kShared, batch).ok());
    return memory.peak();
  };
  const int64_t whole = peak(1);
  EXPECT_LT(peak(2), 0.7 * static_cast<double>(whole));
  EXPECT_LT(peak(4), 0.45 * static_cast<double>(whole));
}

TEST_F(ReinforceStepsTest, SkipAndCountStepsWithNonFiniteGradients) {
  const float kept = engine_->parameters().values()[7];
  engine_->parameters().values()[7] = std::numeric_limits<float>::quiet_NaN();
  const auto steps = MakeSteps({.trajectories = 2});
  for (int64_t step = 1; step <= 3; ++step) {
    ASSERT_TRUE(steps->Step(StepBaseline::kShared, BatchOfStep(step)).ok());
  }
  ASSERT_TRUE(steps->Save(state_).ok());
  EXPECT_EQ(state_.steps, 3);
  EXPECT_EQ(state_.updates, 0);
  for (const CapturedStepReport& report : steps->TakeReports()) EXPECT_FALSE(report.applied);
  engine_->parameters().values()[7] = kept;
  ASSERT_TRUE(steps->Load(state_).ok());
  const std::vector<float> before = Weights();
  ASSERT_TRUE(steps->Step(StepBaseline::kShared, BatchOfStep(4)).ok());
  ASSERT_TRUE(steps->Save(state_).ok());
  EXPECT_EQ(state_.updates, 1);
  EXPECT_NE(Weights(), before);
  for (const float weight : Weights()) ASSERT_TRUE(std::isfinite(weight));
}

TEST_F(ReinforceStepsTest, AverageWeightsOfAppliedStepsAndResume) {
  std::vector<float> average = Weights();
  std::vector<float> wanted = average;
  state_.weight_average = average;
  const auto steps = MakeSteps({.trajectories = 2, .weight_average = 0.3});
  for (int64_t step = 1; step <= 3; ++step) {
    ASSERT_TRUE(steps->Step(StepBaseline::kShared, BatchOfStep(step)).ok());
    ASSERT_TRUE(steps->Save(state_).ok());
    const auto updates = static_cast<double>(step);
    const double decay = std::min(0.3, (1 + updates) / (10 + updates));
    const std::vector<float> weights = Weights();
    for (size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] = static_cast<float>(decay * wanted[i] + (1 - decay) * weights[i]);
      ASSERT_NEAR(average[i], wanted[i], 1e-6) << step << ", " << i;
    }
    std::fill(average.begin(), average.end(), 1.0F);
    std::fill(wanted.begin(), wanted.end(), 1.0F);
    ASSERT_TRUE(steps->Load(state_).ok());
  }
}

TEST_F(ReinforceStepsTest, StartTheAverageCostWithAGreedyRollout) {
  const auto steps = MakeSteps({.average_decay = 0.75});
  const NetworkBatch batch = BatchOfStep(1);
  const auto greedy = engine_->Run(batch, {});
  ASSERT_TRUE(greedy.ok());
  double first = 0;
  for (size_t b = 0; b < kInstances; ++b) first += greedy->costs[b] / batch.problems[b].scale / 4;
  const auto sampled = engine_->Run(batch, {.choice = Choice::kSample, .stream = 1});
  ASSERT_TRUE(sampled.ok());
  double mean = 0;
  for (size_t b = 0; b < kInstances; ++b) mean += sampled->costs[b] / batch.problems[b].scale / 4;
  ASSERT_TRUE(steps->Step(StepBaseline::kAverage, batch).ok());
  ASSERT_TRUE(steps->Save(state_).ok());
  EXPECT_TRUE(state_.average.known);
  EXPECT_NEAR(state_.average.value, 0.75 * first + 0.25 * mean, 1e-12);
}

}  // namespace
}  // namespace vrp
