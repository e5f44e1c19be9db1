// Captured steps of REINFORCE, on the CPU. tests/train/training_device_test.cc compares them with
// the host's steps.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/model/pointer_network/pointer_network_options.h"
#include "core/model/torch/captured_steps_base.h"
#include "core/model/torch/engines.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/model/torch_memory.h"
#include "tests/model/torch_step_stream.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

constexpr int32_t kInstances = 4;
constexpr int32_t kCustomers = 6;

class ReinforceStepsTest : public testing::Test {
 protected:
  EngineOptions Options() {
    return {.step_stream = [this] { return test::TorchStepStream({.counts = &counts_}); }};
  }

  // Starts from the engine's weights.
  std::unique_ptr<CapturedSteps> MakeSteps(CapturedStepsRequest request) {
    request.instances = kInstances;
    request.nodes = kCustomers + 1;
    request.learning_rates = {0.01};
    request.report_every = 3;
    auto steps = engine_->MakeCapturedSteps(request);
    EXPECT_TRUE(steps.ok()) << steps.status();
    EXPECT_TRUE((*steps)->Load(state_).ok());
    return *std::move(steps);
  }

  static NetworkBatch BatchOfStep(int64_t step, int32_t customers = kCustomers) {
    std::vector<Instance> instances = *GenerateInstances(
        {.customers = customers, .seed = static_cast<uint64_t>(step)}, kInstances);
    return test::BatchOf(instances, NodeOrder::kAsGiven);
  }

  // Returns batch `number` of a stream.
  static NetworkBatch BatchOf(uint64_t seed, int64_t number) {
    std::vector<InstanceData> instances;
    for (int64_t i = number * kInstances; i < (number + 1) * kInstances; ++i) {
      instances.push_back(
          GenerateInstanceData({.customers = kCustomers, .seed = seed, .capacity = 20}, i));
    }
    return MakeNetworkBatch(std::span<const InstanceData>(instances), NodeOrder::kAsGiven);
  }

  static std::vector<float> WeightsOf(const PolicyEngine& engine) {
    const std::span<const float> values = engine.parameters().values();
    return {values.begin(), values.end()};
  }
  std::vector<float> Weights() const { return WeightsOf(*engine_); }

  test::StepStreamCounts counts_;
  std::unique_ptr<TorchEngine> engine_ =
      test::TransformerEngine(at::kFloat, test::SmallTransformer(), Options());
  std::vector<float> mean_ = std::vector<float>(static_cast<size_t>(engine_->parameters().size()));
  std::vector<float> square_ = mean_;
  CapturedStepsState state_ = {.mean = mean_, .square = square_};
};

TEST_F(ReinforceStepsTest, ReportsStepsAfterTheirCopy) {
  const auto steps = MakeSteps({.trajectories = 2});
  std::vector<size_t> reported;
  for (int64_t step = 1; step <= 8; ++step) {
    ASSERT_TRUE(steps->Step(StepBaseline::kShared, BatchOfStep(step)).ok());
    reported.push_back(steps->TakeReports().size());
  }
  EXPECT_EQ(reported, (std::vector<size_t>{0, 0, 0, 0, 0, 3, 0, 0}));
  EXPECT_EQ(counts_.waits, 1);  // of Load
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

TEST_F(ReinforceStepsTest, EqualStepsOnInstancesDrawnByTheDevice) {
  constexpr UniformInstances kDrawn = {
      .seed = 77, .customers = kCustomers, .least_capacity = 20, .largest_capacity = 20};
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
      if (draws && step == 6) {  // others go on where these have ended
        ASSERT_TRUE(steps->Save(state_).ok());
        reports[1] = steps->TakeReports();
        steps = MakeSteps(request);
      }
      const StepBaseline baseline = step < 3 ? StepBaseline::kAverage : StepBaseline::kShared;
      const absl::Status begun =
          draws ? steps->Step(baseline) : steps->Step(baseline, BatchOf(77, step - 1));
      ASSERT_TRUE(begun.ok()) << begun;
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

TEST_F(ReinforceStepsTest, RefuseInstancesOnlyIfTheDeviceDrawsThem) {
  constexpr UniformInstances kDrawn = {
      .customers = kCustomers, .least_capacity = 20, .largest_capacity = 20};
  EXPECT_EQ(MakeSteps({.drawn = kDrawn})->Step(StepBaseline::kShared, BatchOfStep(1)).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeSteps({})->Step(StepBaseline::kShared).code(), absl::StatusCode::kInvalidArgument);
  const auto larger = engine_->MakeCapturedSteps({.nodes = kCustomers, .drawn = kDrawn});
  EXPECT_EQ(larger.status().message(), "drawn: got instances of up to 7 nodes, wanted 6");
}

TEST_F(ReinforceStepsTest, RefuseMorePartsThanInstancesAndZeroParts) {
  for (const int32_t parts : {0, kInstances + 1}) {
    const auto steps = engine_->MakeCapturedSteps(
        {.instances = kInstances, .nodes = 7, .parts = parts, .learning_rates = {0.01}});
    EXPECT_EQ(steps.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(steps.status().message(), absl::StrCat("parts: got ", parts,
                                                     ", wanted 1 to 4, as "
                                                     "many as there are instances"));
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
    EXPECT_TRUE(steps->Step(StepBaseline::kShared, batch).ok());  // what is kept from then on
    const test::WorkMemory memory;
    EXPECT_TRUE(steps->Step(StepBaseline::kShared, batch).ok());
    return memory.peak();
  };
  const int64_t whole = peak(1);
  EXPECT_LT(peak(2), 0.7 * static_cast<double>(whole));
  EXPECT_LT(peak(4), 0.45 * static_cast<double>(whole));
}

TEST_F(ReinforceStepsTest, SkipsAndCountsStepsWithNonFiniteGradients) {
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

TEST_F(ReinforceStepsTest, StartsItsAverageWithAGreedyRollout) {
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

TEST(PaddedTo, IsOneOfEightWidths) {
  EXPECT_EQ(PaddedTo(5, 7, 16), 7);
  EXPECT_EQ(PaddedTo(7, 7, 16), 7);
  EXPECT_EQ(PaddedTo(1, 101, 16), 16);
  EXPECT_EQ(PaddedTo(16, 101, 16), 16);
  EXPECT_EQ(PaddedTo(17, 101, 16), 32);
  EXPECT_EQ(PaddedTo(97, 101, 16), 101);
  EXPECT_EQ(PaddedTo(102, 101, 16), 101);  // is refused there
  EXPECT_EQ(PaddedTo(22, 40, 8), 24);
  EXPECT_EQ(PaddedTo(25, 40, 8), 32);
  for (const int32_t most : {2, 128, 129, 501, 5001}) {
    std::set<int32_t> widths;
    for (int32_t nodes = 1; nodes <= most; ++nodes) {
      const int32_t width = PaddedTo(nodes, most, 16);
      EXPECT_GE(width, nodes);
      EXPECT_LE(width, most);
      widths.insert(width);
    }
    EXPECT_LE(widths.size(), static_cast<size_t>(kMaxPaddedWidths));
  }
}

TEST_F(ReinforceStepsTest, CapturesAndKeepsAGraphForEachWidth) {
  const auto steps = *engine_->MakeCapturedSteps({.instances = kInstances,
                                                  .nodes = 41,
                                                  .trajectories = 2,
                                                  .learning_rates = {1e-3},
                                                  .report_every = 3});
  ASSERT_TRUE(steps->Load(state_).ok());
  for (int64_t step = 1; step <= 12; ++step) {
    const int32_t customers = 10 * (1 << (step % 3));  // 20, 40, 10, ...: widths 32, 41, 16
    ASSERT_TRUE(steps->Step(StepBaseline::kShared, BatchOfStep(step, customers)).ok());
  }
  EXPECT_EQ(counts_.captures, 3);
  EXPECT_EQ(counts_.replays, 9);
  ASSERT_TRUE(steps->Save(state_).ok());
  EXPECT_EQ(state_.updates, 12);
  const std::vector<CapturedStepReport> reports = steps->TakeReports();
  ASSERT_EQ(reports.size(), 12);
  for (const CapturedStepReport& report : reports) {
    EXPECT_EQ(report.stuck, 0);
    EXPECT_LT(report.pass_difference, 1e-5);
  }
}

// Uses one instance and the smallest network: the largest batch has one trajectory per customer.
TEST_F(ReinforceStepsTest, KeepABoundedNumberOfGraphs) {
  engine_ = test::TransformerEngine(
      at::kFloat, {.hidden = 16, .heads = 1, .feed_forward = 16, .layers = 1}, Options());
  mean_.assign(static_cast<size_t>(engine_->parameters().size()), 0);
  square_ = mean_;
  state_ = {.mean = mean_, .square = square_};
  const auto steps = *engine_->MakeCapturedSteps({.instances = 1,
                                                  .nodes = 151,
                                                  .trajectories = 0,
                                                  .distinct_starts = true,
                                                  .learning_rates = {1e-4}});
  ASSERT_TRUE(steps->Load(state_).ok());
  const auto step = [&](int32_t customers) {
    const auto instances = *GenerateInstances({.customers = customers, .seed = 1}, 1);
    return steps->Step(StepBaseline::kShared, test::BatchOf(instances, NodeOrder::kAsGiven));
  };
  const auto last = static_cast<int32_t>(kMaxCaptures) + 2;
  for (int32_t customers = 2; customers <= last; ++customers) {
    ASSERT_TRUE(step(customers).ok()) << customers;
  }
  ASSERT_TRUE(step(last).ok());
  EXPECT_EQ(counts_.captures, 1);
  ASSERT_TRUE(step(2).ok());  // whose place others have
  EXPECT_EQ(counts_.captures, 1);
  ASSERT_TRUE(step(2).ok());
  EXPECT_EQ(counts_.captures, 2);
  ASSERT_TRUE(steps->Save(state_).ok());
  EXPECT_EQ(state_.updates, kMaxCaptures + 4);
  EXPECT_EQ(engine_
                ->MakeCapturedSteps({.nodes = 7,
                                     .drawn = UniformInstances{.customers = 6,
                                                               .least_capacity = 20,
                                                               .largest_capacity = 20},
                                     .trajectories = 0})
                .status()
                .message(),
            "trajectories: got 0, wanted 1 or more if the device draws instances");
}

// A step without a graph cannot use the memory that other widths' graphs hold.
TEST_F(ReinforceStepsTest, DropTheirGraphsWhenMemoryRunsOut) {
  int failing = 0;  // that run by itself from now on, the last of which finds none
  EngineOptions options = Options();
  options.step_stream = [&] {
    return std::make_unique<test::FakeStepStream>(test::FakeStepStreamOptions{
        .counts = &counts_, .around = [&](bool captured, absl::FunctionRef<absl::Status()> work) {
          if (!captured && failing > 0 && --failing == 0) return absl::ResourceExhaustedError("");
          return work();
        }});
  };
  const auto engine = test::TransformerEngine(at::kFloat, test::SmallTransformer(), options);
  const auto steps = *engine->MakeCapturedSteps(
      {.instances = kInstances, .nodes = 41, .trajectories = 2, .learning_rates = {1e-3}});
  ASSERT_TRUE(steps->Load(state_).ok());
  const auto step = [&](int32_t customers) {
    return steps->Step(StepBaseline::kShared, BatchOfStep(1, customers));
  };
  failing = 2;  // its instances, and the step: there is no graph to let go of
  EXPECT_EQ(step(10).code(), absl::StatusCode::kResourceExhausted);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(step(10).ok());
  EXPECT_EQ(counts_.captures, 1);
  failing = 2;
  ASSERT_TRUE(step(20).ok());
  ASSERT_TRUE(step(10).ok());
  EXPECT_EQ(counts_.captures, 2) << "captured again";
  ASSERT_TRUE(steps->Save(state_).ok());
  EXPECT_EQ(state_.updates, 4);
}

TEST_F(ReinforceStepsTest, AreRefusedIfTheirGraphWouldBeTooLarge) {
  const auto parts = engine_->MakeCapturedSteps({.instances = 100, .nodes = 7, .parts = 65});
  EXPECT_EQ(parts.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(parts.status().message(), "parts: got 65, wanted at most 64");
  EXPECT_TRUE(engine_->MakeCapturedSteps({.instances = 100, .nodes = 7, .parts = 64}).ok());
  const auto pointer = *MakeTorchPointerEngine({.hidden = 16, .layers = 1},
                                               {.device = {}, .seed = 3, .options = Options()});
  const auto steps = pointer->MakeCapturedSteps({.instances = 4, .nodes = 601, .parts = 2});
  EXPECT_EQ(steps.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(steps.status().message(),
            "a network's steps in 2 parts: got up to 2398, wanted at most 2048");
  EXPECT_TRUE(pointer->MakeCapturedSteps({.instances = 4, .nodes = 601}).ok());
}

// Compares with steps that are never replayed, and therefore omit nothing.
TEST_F(ReinforceStepsTest, OmitStepsAfterTheLastTourWithoutADifference) {
  constexpr int32_t kMany = 12;
  constexpr int64_t kSteps = 6;
  const PointerNetworkOptions small = {.hidden = 16, .layers = 2, .dropout = 0};
  // One vehicle serves all customers in 13 steps; up to 24 are allowed.
  const std::vector<Instance> instances = *GenerateInstances(
      {.customers = kMany, .seed = 5, .capacity = 9 * kMany}, kInstances * kSteps);
  std::vector<CapturedStepReport> reports[2];
  std::vector<float> weights[2];
  for (const bool replays : {false, true}) {
    const auto engine =
        *MakeTorchPointerEngine(small, {.device = {}, .seed = 3, .options = Options()});
    mean_.assign(static_cast<size_t>(engine->parameters().size()), 0.0F);
    square_ = mean_;
    state_ = {.mean = mean_, .square = square_};
    std::unique_ptr<CapturedSteps> steps;
    for (int64_t step = 0; step < kSteps; ++step) {
      if (steps == nullptr || !replays) {
        steps = *engine->MakeCapturedSteps({.instances = kInstances,
                                            .nodes = kMany + 1,
                                            .trajectories = 3,
                                            .learning_rates = {0.01}});
        ASSERT_TRUE(steps->Load(state_).ok());
      }
      const auto first = instances.begin() + step * kInstances;
      const NetworkBatch batch = test::BatchOf({first, first + kInstances}, engine->batch_form());
      ASSERT_TRUE(steps->Step(StepBaseline::kShared, batch).ok());
      ASSERT_TRUE(steps->Save(state_).ok());
      for (const CapturedStepReport& report : steps->TakeReports())
        reports[replays].push_back(report);
    }
    weights[replays] = WeightsOf(*engine);
    EXPECT_EQ(counts_.left_out, replays ? kSteps - 1 : 0);  // steps 17 to 24 of each replay
  }
  ASSERT_EQ(reports[1].size(), kSteps);
  for (size_t i = 0; i < kSteps; ++i) {
    EXPECT_EQ(reports[1][i].loss, reports[0][i].loss);
    EXPECT_EQ(reports[1][i].cost, reports[0][i].cost);
    EXPECT_EQ(reports[1][i].pass_difference, reports[0][i].pass_difference);
    EXPECT_EQ(reports[1][i].stuck, 0);
  }
  EXPECT_EQ(weights[1], weights[0]);
}

TEST_F(ReinforceStepsTest, ContinuesAfterABatchOfAnotherShape) {
  const auto steps = MakeSteps({.trajectories = 2});
  const auto larger = steps->Step(StepBaseline::kShared, BatchOfStep(1, kCustomers + 1));
  EXPECT_EQ(larger.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(larger.message()).find("4 instances of up to 8 nodes, wanted 4 of up to 7"),
            std::string::npos)
      << larger;
  const std::vector<Instance> matrices(
      kInstances, test::AnInstance().WithCustomers(kCustomers).ExplicitMatrix(0.4).Build());
  EXPECT_EQ(steps->Step(StepBaseline::kShared, test::BatchOf(matrices, NodeOrder::kAsGiven)).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(steps->Step(StepBaseline::kShared, BatchOfStep(2)).ok());
  ASSERT_TRUE(steps->Save(state_).ok());
  EXPECT_EQ(state_.steps, 1);
}

TEST_F(ReinforceStepsTest, AreRefusedWithoutFusedPasses) {
  EngineOptions options = Options();
  options.fused = false;
  const auto engine = test::TransformerEngine(at::kFloat, test::SmallTransformer(), options);
  EXPECT_EQ(engine->MakeCapturedSteps({}).status().message(),
            "engine options: captured steps need fused passes");
}

TEST_F(ReinforceStepsTest, NeedAStream) {
  const auto engine = test::TransformerEngine(at::kFloat, test::SmallTransformer());
  EXPECT_EQ(engine->MakeCapturedSteps({}).status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace vrp
