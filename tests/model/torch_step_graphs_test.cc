// Tests the graphs of captured steps: there is one per width, label length and number of
// trajectories. Their number is bounded, and the steps drop them if memory runs out.
#include <memory>
#include <set>
#include <vector>

#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/torch/captured_steps_base.h"
#include "core/model/torch/engines.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/model/torch_captured_steps_fixture.h"
#include "tests/model/torch_memory.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

class StepGraphsTest : public test::CapturedStepsFixture {};

TEST(PaddedToTest, ReturnsOneOfAtMostEightWidths) {
  EXPECT_EQ(PaddedTo(5, 7, 16), 7);
  EXPECT_EQ(PaddedTo(7, 7, 16), 7);
  EXPECT_EQ(PaddedTo(1, 101, 16), 16);
  EXPECT_EQ(PaddedTo(16, 101, 16), 16);
  EXPECT_EQ(PaddedTo(17, 101, 16), 32);
  EXPECT_EQ(PaddedTo(97, 101, 16), 101);
  EXPECT_EQ(PaddedTo(102, 101, 16), 101);  // such a batch is too large
  EXPECT_EQ(PaddedTo(22, 40, 8), 24);
  EXPECT_EQ(PaddedTo(25, 40, 8), 32);
  for (const int32_t limit : {2, 128, 129, 501, 5001}) {
    std::set<int32_t> widths;
    for (int32_t nodes = 1; nodes <= limit; ++nodes) {
      const int32_t width = PaddedTo(nodes, limit, 16);
      EXPECT_GE(width, nodes);
      EXPECT_LE(width, limit);
      widths.insert(width);
    }
    EXPECT_LE(widths.size(), static_cast<size_t>(kMaxPaddedWidths));
  }
}

TEST_F(StepGraphsTest, KeepAGraphForEachWidth) {
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

// Uses one instance and a tiny network, because the test makes many steps. A batch has one
// trajectory per customer, so each size needs its own graph.
TEST_F(StepGraphsTest, KeepABoundedNumberOfGraphs) {
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
  ASSERT_TRUE(step(2).ok());  // its shape was dropped, so this step runs without a graph
  EXPECT_EQ(counts_.captures, 1);
  ASSERT_TRUE(step(2).ok());
  EXPECT_EQ(counts_.captures, 2);
  ASSERT_TRUE(steps->Save(state_).ok());
  EXPECT_EQ(state_.updates, kMaxCaptures + 4);
  EXPECT_EQ(
      engine_
          ->MakeCapturedSteps(
              {.nodes = 7,
               .drawn = UniformInstances{.customers = 6, .min_capacity = 20, .max_capacity = 20},
               .trajectories = 0})
          .status()
          .message(),
      "trajectories: got 0, wanted 1 or more if the device draws instances");
}

// A step without a graph cannot use the memory that other widths' graphs hold.
TEST_F(StepGraphsTest, DropTheirGraphsWhenMemoryRunsOut) {
  int failing = 0;  // number of coming runs without a graph; the last one runs out of memory
  EngineOptions options = Options();
  options.step_stream = [&] {
    return std::make_unique<test::FakeStepStream>(test::FakeStepStreamOptions{
        .counts = &counts_, .wrapper = [&](bool captured, absl::FunctionRef<absl::Status()> work) {
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
  failing = 2;  // the upload and the step, because there is no graph to drop
  EXPECT_EQ(step(10).code(), absl::StatusCode::kResourceExhausted);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(step(10).ok());
  EXPECT_EQ(counts_.captures, 1);
  failing = 2;
  ASSERT_TRUE(step(20).ok());
  ASSERT_TRUE(step(10).ok());
  EXPECT_EQ(counts_.captures, 2) << "the dropped graph must be captured again";
  ASSERT_TRUE(steps->Save(state_).ok());
  EXPECT_EQ(state_.updates, 4);
}

TEST_F(StepGraphsTest, AreRefusedIfTheirGraphWouldBeTooLarge) {
  const auto parts = engine_->MakeCapturedSteps({.instances = 100, .nodes = 7, .parts = 65});
  EXPECT_EQ(parts.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(parts.status().message(), "parts: got 65, wanted at most 64");
  EXPECT_TRUE(engine_->MakeCapturedSteps({.instances = 100, .nodes = 7, .parts = 64}).ok());
  const auto pointer = *test::TorchPointer({.hidden = 16, .layers = 1},
                                           {.device = {}, .seed = 3, .options = Options()});
  const auto steps = pointer->MakeCapturedSteps({.instances = 4, .nodes = 601, .parts = 2});
  EXPECT_EQ(steps.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(steps.status().message(),
            "parts: got 2 with up to 2398 steps of the network in all, wanted at most 2048");
  EXPECT_TRUE(pointer->MakeCapturedSteps({.instances = 4, .nodes = 601}).ok());
}

// Compares with steps that are never replayed and therefore omit nothing.
TEST_F(StepGraphsTest, OmitStepsAfterTheLongestTourWithoutChangingResults) {
  constexpr int32_t kManyCustomers = 12;
  constexpr int64_t kSteps = 6;
  const PointerNetworkOptions small = {.hidden = 16, .layers = 2, .dropout = 0};
  // One vehicle serves all customers in 12 steps; up to 23 are allowed.
  const std::vector<Instance> instances =
      *GenerateInstances({.customers = kManyCustomers, .seed = 5, .capacity = 9 * kManyCustomers},
                         kInstances * kSteps);
  std::vector<CapturedStepReport> reports[2];
  std::vector<float> weights[2];
  for (const bool replays : {false, true}) {
    const auto engine = *test::TorchPointer(small, {.device = {}, .seed = 3, .options = Options()});
    mean_.assign(static_cast<size_t>(engine->parameters().size()), 0.0F);
    square_ = mean_;
    state_ = {.mean = mean_, .square = square_};
    std::unique_ptr<CapturedSteps> steps;
    for (int64_t step = 0; step < kSteps; ++step) {
      if (steps == nullptr || !replays) {
        steps = *engine->MakeCapturedSteps({.instances = kInstances,
                                            .nodes = kManyCustomers + 1,
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
    EXPECT_EQ(counts_.skipped_parts, replays ? kSteps - 1 : 0);  // steps 17 to 23 of each replay
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

TEST_F(StepGraphsTest, ContinueAfterABatchOfAnotherShape) {
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

TEST_F(StepGraphsTest, AreRefusedWithoutFusedPasses) {
  EngineOptions options = Options();
  options.fused = false;
  const auto engine = test::TransformerEngine(at::kFloat, test::SmallTransformer(), options);
  EXPECT_EQ(engine->MakeCapturedSteps({}).status().message(),
            "engine options: captured steps need fused passes");
}

TEST_F(StepGraphsTest, NeedAStream) {
  const auto engine = test::TransformerEngine(at::kFloat, test::SmallTransformer());
  EXPECT_EQ(engine->MakeCapturedSteps({}).status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace vrp
