// Tests greedy rollouts of small batches that a fake stream captures on the CPU. Compares them with
// the same network without a stream.
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/model/torch/captured_rollouts.h"
#include "core/model/torch/engines.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/model/torch_step_stream.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

constexpr int kRolloutsOfAShape = 4;  // one without a graph, one captured, two replayed

struct MemoryShortage {
  int64_t instances = 0;  // size of the batches that run out of memory
  int failures = 0;       // number of failures to come
};

class OutOfMemoryTransformer final : public TorchNetwork {
 public:
  OutOfMemoryTransformer(const GraphTransformerOptions& sizes, MemoryShortage* shortage)
      : network_(MakeTorchGraphTransformer(sizes)), shortage_(shortage) {}

  std::string_view architecture() const override { return network_->architecture(); }
  const NetworkInputs& inputs() const override { return network_->inputs(); }
  bool wants_edges() const override { return network_->wants_edges(); }
  ObservationKind observation_kind() const override { return network_->observation_kind(); }
  bool recurrent() const override { return false; }
  std::unique_ptr<TorchDecoder> Encode(const TorchParameters& parameters, const TorchBatch& batch,
                                       const EncodeOptions& options) const override {
    return network_->Encode(parameters, batch, options);
  }
  std::optional<DecoderProjections> Project(const TorchParameters& parameters,
                                            const TorchBatch& batch,
                                            const EncodeOptions& options) const override {
    if (batch.sizes.size(0) == shortage_->instances && shortage_->failures-- > 0)
      throw std::bad_alloc();
    return network_->Project(parameters, batch, options);
  }

 private:
  const std::unique_ptr<TorchNetwork> network_;
  MemoryShortage* const shortage_;
};

class CapturedRolloutsTest : public testing::Test {
 protected:
  static NetworkBatch Batch(int32_t customers, int64_t count, uint64_t seed = 3) {
    return test::BatchOf(*GenerateInstances({.customers = customers, .seed = seed}, count),
                         NodeOrder::kAsGiven);
  }

  EngineOptions RecordingOptions() {
    return {.step_stream = [this] { return test::TorchStepStream(stream_); }};
  }

  void UseOutOfMemoryEngine(MemoryShortage& shortage) {
    engine_ =
        std::make_unique<TorchEngine>(std::make_unique<OutOfMemoryTransformer>(sizes_, &shortage),
                                      FlatParameters(GraphTransformerLayout(sizes_), 5),
                                      at::TensorOptions(at::kFloat), RecordingOptions());
  }

  void ExpectSame(const NetworkBatch& batch, const RolloutRequest& request = {}) {
    const auto expected = plain_->Run(batch, request);
    const auto actual = engine_->Run(batch, request);
    ASSERT_TRUE(expected.ok()) << expected.status();
    ASSERT_TRUE(actual.ok()) << actual.status();
    EXPECT_EQ(actual->count, expected->count);
    EXPECT_EQ(actual->steps, expected->steps);
    EXPECT_EQ(actual->choices, expected->choices);
    EXPECT_EQ(actual->lengths, expected->lengths);
    EXPECT_EQ(actual->costs, expected->costs);
    EXPECT_EQ(actual->agreements, expected->agreements);
    ASSERT_EQ(actual->log_likelihoods.size(), expected->log_likelihoods.size());
    for (size_t row = 0; row < expected->log_likelihoods.size(); ++row) {
      EXPECT_NEAR(actual->log_likelihoods[row], expected->log_likelihoods[row], 1e-4);
    }
  }

  // Runs `rollouts` requests and returns the change of the counts.
  test::StepStreamCounts CountCalls(const NetworkBatch& batch, int rollouts = 1,
                                    const RolloutRequest& request = {}) {
    const test::StepStreamCounts before = counts_;
    for (int i = 0; i < rollouts; ++i) ExpectSame(batch, request);
    return {.runs = counts_.runs - before.runs,
            .captures = counts_.captures - before.captures,
            .replays = counts_.replays - before.replays,
            .copies = counts_.copies - before.copies};
  }

  test::StepStreamCounts counts_;
  test::FakeStepStreamOptions stream_ = {.counts = &counts_};
  const GraphTransformerOptions sizes_ = test::SmallTransformer();
  std::unique_ptr<TorchEngine> plain_ = test::TransformerEngine(at::kFloat, sizes_);
  std::unique_ptr<TorchEngine> engine_ =
      test::TransformerEngine(at::kFloat, sizes_, RecordingOptions());
};

TEST_F(CapturedRolloutsTest, CaptureTheSecondBatchOfAShapeAndReplayIt) {
  const NetworkBatch batch = Batch(7, 1);
  const test::StepStreamCounts first = CountCalls(batch);
  EXPECT_EQ(first.runs, 2);  // upload and rollout without a graph
  EXPECT_EQ(first.captures, 0);
  EXPECT_EQ(first.copies, 1);
  const test::StepStreamCounts second = CountCalls(batch);
  EXPECT_EQ(second.runs, 1);
  EXPECT_EQ(second.captures, 1);
  EXPECT_EQ(second.replays, 1);
  const test::StepStreamCounts more = CountCalls(batch, 3);
  EXPECT_EQ(more.runs, 3);
  EXPECT_EQ(more.captures, 0);
  EXPECT_EQ(more.replays, 3);
  EXPECT_EQ(more.copies, 3);
  EXPECT_EQ(counts_.waits, 0);  // the engine waits only for copies
}

TEST_F(CapturedRolloutsTest, DecodeTheSameToursOfEveryVariant) {
  for (const Instance& instance : test::Variants()) {
    const NetworkBatch batch = test::BatchOf({instance}, NodeOrder::kAsGiven);
    CountCalls(batch, kRolloutsOfAShape);
  }
  EXPECT_EQ(counts_.captures, 3);  // one with a TSP, one with a matrix, one with neither
  EXPECT_GT(counts_.replays, 12);
}

TEST_F(CapturedRolloutsTest, DecodeTheSameToursOfVariantsAndSizesInOneBatch) {
  std::vector<Instance> instances = test::Variants();
  instances.front() = test::AnInstance().WithCustomers(21).RandomDemands().Seed(8).Build();
  const NetworkBatch batch = test::BatchOf(instances, NodeOrder::kAsGiven);
  ASSERT_EQ(batch.size(), 7);  // padded to 8
  EXPECT_EQ(CountCalls(batch, kRolloutsOfAShape).replays, kRolloutsOfAShape - 1);
}

TEST_F(CapturedRolloutsTest, DecodeTheSameToursWithoutEdges) {
  GraphTransformerOptions sizes = sizes_;
  sizes.edge_bias = false;
  plain_ = test::TransformerEngine(at::kFloat, sizes);
  engine_ = test::TransformerEngine(at::kFloat, sizes, RecordingOptions());
  EXPECT_EQ(CountCalls(Batch(9, 3), kRolloutsOfAShape).replays, kRolloutsOfAShape - 1);
}

TEST_F(CapturedRolloutsTest, ServeAllBatchesOfAShapeByOneGraph) {
  for (const auto& [customers, count] : {std::pair{15, 3}, {7, 4}, {3, 3}, {12, 4}}) {
    CountCalls(Batch(customers, count, static_cast<uint64_t>(customers)));
  }
  EXPECT_EQ(counts_.captures, 1);
  EXPECT_EQ(counts_.replays, 3);
  CountCalls(Batch(16, 4));  // one node too many for the graph
  CountCalls(Batch(15, 2));  // one instance too few for the graph
  EXPECT_EQ(counts_.replays, 3);
}

TEST_F(CapturedRolloutsTest, KeepRecentlyUsedShapes) {
  const auto batch = [](size_t i) {
    return Batch(static_cast<int32_t>(i % 5) * kCapturedNodesMultiple + 3, int64_t{1} << i / 5);
  };
  for (size_t i = 0; i < kMaxCapturedShapes; ++i) CountCalls(batch(i), 2);
  EXPECT_EQ(counts_.captures, kMaxCapturedShapes);
  EXPECT_EQ(CountCalls(batch(0)).replays, 1);
  EXPECT_EQ(CountCalls(batch(kMaxCapturedShapes), 2).captures, 1);  // replaces batch 1
  EXPECT_EQ(CountCalls(batch(0)).replays, 1);
  EXPECT_EQ(CountCalls(batch(2)).replays, 1);
  EXPECT_EQ(CountCalls(batch(1)).replays, 0);
  EXPECT_EQ(CountCalls(batch(1)).captures, 1);
}

TEST_F(CapturedRolloutsTest, UseChangedWeights) {
  const NetworkBatch batch = Batch(12, 2);
  CountCalls(batch, 3);
  for (TorchEngine* const engine : {engine_.get(), plain_.get()}) {
    for (float& weight : engine->parameters().values()) weight *= -1.5F;
    EXPECT_TRUE(engine->ParametersChanged().ok());
  }
  const test::StepStreamCounts in_place = CountCalls(batch, 2);
  EXPECT_EQ(in_place.replays, 2);
  EXPECT_EQ(in_place.captures, 0);
}

TEST_F(CapturedRolloutsTest, AreCapturedAgainAfterWeightsMoved) {
  const NetworkBatch batch = Batch(12, 2);
  CountCalls(batch, 3);
  const float* const before = engine_->parameters().values().data();
  for (TorchEngine* const engine : {engine_.get(), plain_.get()}) {
    FlatParameters others(GraphTransformerLayout(sizes_), 6);
    engine->parameters() = std::move(others);
    EXPECT_TRUE(engine->ParametersChanged().ok());
  }
  ASSERT_NE(engine_->parameters().values().data(), before);
  EXPECT_EQ(CountCalls(batch).replays, 0);
  EXPECT_EQ(CountCalls(batch).captures, 1);
  EXPECT_EQ(CountCalls(batch).replays, 1);
}

TEST_F(CapturedRolloutsTest, DoNotRetryAShapeAfterAFailedCapture) {
  stream_.capture_status = absl::InternalError("no capture");
  const NetworkBatch batch = Batch(7, 1);
  EXPECT_EQ(CountCalls(batch, 4).captures, 1);
  EXPECT_EQ(counts_.runs, 3);  // two for the first rollout, the upload for the second
  EXPECT_EQ(counts_.replays, 0);
  EXPECT_EQ(CountCalls(Batch(7, 2), 4).captures, 1);
}

TEST_F(CapturedRolloutsTest, DropAllShapesWhenMemoryRunsOut) {
  MemoryShortage shortage = {.instances = 2};
  UseOutOfMemoryEngine(shortage);
  CountCalls(Batch(7, 1), 3);
  shortage.failures = 1;
  EXPECT_EQ(CountCalls(Batch(7, 2)).copies, 0);
  EXPECT_EQ(CountCalls(Batch(7, 1)).replays, 0);
  EXPECT_EQ(CountCalls(Batch(7, 1)).captures, 1);
  EXPECT_EQ(CountCalls(Batch(7, 2), 2).runs, 0);
}

TEST_F(CapturedRolloutsTest, ReplayOnlyPreparedOperators) {
  // The stream fails if captured work is the first to use an operator. A TSP uses further
  // operators.
  CountCalls(Batch(7, 1), 3);
  const NetworkBatch tsp = test::BatchOf(
      {test::AnInstance().WithCustomers(5).Kind(ProblemKind::kTsp).Build()}, NodeOrder::kAsGiven);
  const test::StepStreamCounts added = CountCalls(tsp, 3);
  EXPECT_EQ(added.captures, 1);
  EXPECT_EQ(added.replays, 2);
}

TEST_F(CapturedRolloutsTest, NameUnreachableCustomers) {
  std::vector<Instance> instances = {test::AnInstance().WithCustomers(4).Build(),
                                     test::AnInstance()
                                         .At({{0, 0}, {1, 0}, {50, 0}, {2, 0}})
                                         .Windows({{0, 100}, {0, 10}, {0, 100}}, 100)
                                         .Build()};
  const NetworkBatch batch = test::BatchOf(instances, NodeOrder::kAsGiven);
  const absl::Status expected = plain_->Run(batch, {}).status();
  ASSERT_EQ(expected.code(), absl::StatusCode::kFailedPrecondition) << expected;
  for (int i = 0; i < kRolloutsOfAShape; ++i) EXPECT_EQ(engine_->Run(batch, {}).status(), expected);
  EXPECT_EQ(counts_.replays, kRolloutsOfAShape - 1);
  EXPECT_EQ(CountCalls(Batch(7, 2)).replays, 1);
}

TEST_F(CapturedRolloutsTest, DoNotStartAfterTheirDeadline) {
  const RolloutRequest late = {.stop = StopCondition(absl::InfinitePast(), nullptr)};
  EXPECT_EQ(engine_->Run(Batch(7, 1), late).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(counts_.runs, 0);
}

TEST_F(CapturedRolloutsTest, AreLeftToTheEngineIfTooLargeOrNotGreedy) {
  const NetworkBatch few = Batch(7, 2);
  EXPECT_EQ(CountCalls(few, 3, {.trajectories = 2}).runs, 0);
  EXPECT_EQ(CountCalls(few, 3, {.distinct_starts = true}).runs, 0);
  EXPECT_EQ(CountCalls(Batch(7, kMaxCapturedInstances + 1), 3).runs, 0);
  EXPECT_EQ(CountCalls(Batch(368, 1), 1).runs, 0);
  EXPECT_EQ(CountCalls(Batch(128, 8), 1).runs, 0);
  EXPECT_EQ(CountCalls(NetworkBatch(), 3).runs, 0);
  EXPECT_TRUE(engine_->Run(few, {.choice = Choice::kSample}).ok());
  EXPECT_EQ(counts_.runs, 0);
  EXPECT_GT(CountCalls(Batch(127, 8), 1).runs, 0);  // the largest batch
  EXPECT_GT(CountCalls(Batch(351, 1), 1).runs, 0);
}

TEST_F(CapturedRolloutsTest, AreNotUsedWithoutFusedPasses) {
  engine_ = test::TransformerEngine(at::kDouble, sizes_, RecordingOptions());
  plain_ = test::TransformerEngine(at::kDouble, sizes_);
  EXPECT_EQ(CountCalls(Batch(7, 1), 3).runs, 0);
  EngineOptions stepped = RecordingOptions();
  stepped.fused = false;
  engine_ = test::TransformerEngine(at::kFloat, sizes_, stepped);
  EXPECT_TRUE(engine_->Run(Batch(7, 1), {}).ok());
  const auto pointer =
      test::TorchPointer({.hidden = 16}, {.device = {}, .options = RecordingOptions()});
  ASSERT_TRUE(pointer.ok()) << pointer.status();
  EXPECT_TRUE((*pointer)->Run(Batch(7, 1), {}).ok());
  EXPECT_EQ(counts_.runs, 0);
}

TEST_F(CapturedRolloutsTest, AreNotUsedWithoutAStream) {
  int asked = 0;
  engine_ = test::TransformerEngine(at::kFloat, sizes_, {.step_stream = [&asked] {
                                      ++asked;
                                      return std::unique_ptr<StepStream>();
                                    }});
  for (int i = 0; i < 3; ++i) ExpectSame(Batch(7, 1));
  EXPECT_EQ(asked, 1);
}

TEST_F(CapturedRolloutsTest, ReturnEveryCallersOwnTours) {
  std::vector<NetworkBatch> batches;
  for (int32_t caller = 0; caller < 4; ++caller) {
    batches.push_back(Batch(6 + caller, 2, static_cast<uint64_t>(caller)));
  }
  std::vector<std::thread> callers;
  for (const NetworkBatch& batch : batches) {
    callers.emplace_back([this, &batch] {
      for (int i = 0; i < 25; ++i) ExpectSame(batch);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(counts_.captures, 1);
  EXPECT_GT(counts_.replays, 0);
}

TEST_F(CapturedRolloutsTest, ReleaseMemoryForRolloutsThatRunOutOfIt) {
  MemoryShortage shortage = {.instances = kMaxCapturedInstances + 1};
  UseOutOfMemoryEngine(shortage);
  const NetworkBatch large = Batch(7, shortage.instances);
  shortage.failures = 1;  // there is no memory to release yet
  EXPECT_EQ(engine_->Run(large, {}).status().code(), absl::StatusCode::kResourceExhausted);
  CountCalls(Batch(7, 1), 3);
  shortage.failures = 1;
  ExpectSame(large);
  EXPECT_EQ(CountCalls(Batch(7, 1)).replays, 0);
  shortage.failures = 2;
  EXPECT_EQ(engine_->Run(large, {}).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace vrp
