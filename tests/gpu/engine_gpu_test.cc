// Compares LibTorch's engines on CUDA with the CPU's own kernels, with the same weights and
// instances. Most tests also run with LibTorch on the CPU, which needs no GPU.
#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/model/pointer_network/cpu_pointer_network.h"
#include "core/model/torch/engines.h"
#include "core/problem/generate/generators.h"
#include "tests/device/forwarding_step_stream.h"
#include "tests/gpu/gpu_testing.h"
#include "tests/model/torch_step_stream.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

using test::BatchOf;
using test::NoiseShare;
using test::RelativeDifference;
using test::WeighByCost;

constexpr uint64_t kFirstWeights = 5;
const PointerNetworkOptions kSmallPointer = {.hidden = 32, .layers = 2, .dropout = 0};

void AddInstances(const GeneratorOptions& options, int64_t count, std::vector<Instance>& to) {
  std::vector<Instance> drawn = *GenerateInstances(options, count);
  std::move(drawn.begin(), drawn.end(), std::back_inserter(to));
}

// Returns instances of each kind that both networks support, of different sizes.
std::vector<Instance> RandomInstances() {
  std::vector<Instance> instances;
  AddInstances({.customers = 20, .seed = 71}, 5, instances);
  AddInstances({.customers = 50, .seed = 72}, 2, instances);
  AddInstances({.kind = ProblemKind::kTsp, .customers = 20, .seed = 73}, 3, instances);
  AddInstances({.kind = ProblemKind::kVrptw, .customers = 15, .seed = 74}, 3, instances);
  return instances;
}

// A stream that counts successful captures, because tours are the same whether or not capturing
// works.
class RecordingStream final : public test::ForwardingStepStream {
 public:
  RecordingStream(std::unique_ptr<StepStream> stream, int* recorded)
      : ForwardingStepStream(std::move(stream)), recorded_(recorded) {}

  absl::StatusOr<std::unique_ptr<StepGraph>> Capture(std::function<absl::Status()> work) override {
    auto graph = ForwardingStepStream::Capture(std::move(work));
    if (graph.ok()) ++*recorded_;
    return graph;
  }

 private:
  int* const recorded_;
};

struct EngineCase {
  const char* architecture;
  DeviceKind device;

  std::string Name() const {
    return absl::StrCat(architecture, device == DeviceKind::kCuda ? "_cuda" : "_cpu");
  }
  friend void PrintTo(const EngineCase& one, std::ostream* out) { *out << one.Name(); }
};

class EngineGpuTest : public testing::TestWithParam<EngineCase> {
 protected:
  void SetUp() override {
    if (GetParam().device == DeviceKind::kCuda && !test::HasGpu()) GTEST_SKIP() << test::kNoGpu;
    std::vector<Instance> instances = RandomInstances();
    if (Transformer()) {
      const std::vector<Instance> variants = test::Variants();
      instances.insert(instances.end(), variants.begin(), variants.end());
    }
    own_ = Transformer() ? MakeCpuGraphTransformer(test::SmallTransformer(), kFirstWeights)
                         : MakeCpuPointerNetwork(kSmallPointer, kFirstWeights);
    own_->parameters().TrackGradient();
    batch_ = BatchOf(instances, own_->batch_form());
    torch_ = MakeTorch({});
  }

  static bool Transformer() { return GetParam().architecture == std::string_view("gt"); }

  // Returns LibTorch's engine for the same network.
  static std::unique_ptr<PolicyEngine> MakeTorch(const EngineOptions& options) {
    const TorchEngineRequest request = {
        .device = {.kind = GetParam().device}, .seed = kFirstWeights, .options = options};
    auto made = Transformer() ? test::TorchTransformer(test::SmallTransformer(), request)
                              : test::TorchPointer(kSmallPointer, request);
    EXPECT_TRUE(made.ok()) << made.status();
    if (!made.ok()) return nullptr;
    (*made)->parameters().TrackGradient();
    return *std::move(made);
  }

  static std::unique_ptr<StepStream> MakeStream(test::StepStreamCounts* counts) {
    if (GetParam().device == DeviceKind::kCpu) return test::TorchStepStream({.counts = counts});
    return MakeCudaStepStream(test::FirstGpu().id.index, Priority::kSolving);
  }
  // Replaces the torch engine by one that counts captures.
  void UseTorchThatCountsCaptures() {
    torch_ = MakeTorch({.step_stream = [this] {
      return std::make_unique<RecordingStream>(MakeStream(&counts_), &recorded_);
    }});
  }

  // Draws tours that either engine can replay, because engines may sample differently near the
  // boundary between two nodes' probabilities.
  std::vector<std::vector<int32_t>> DrawTours() const {
    const auto drawn = own_->Run(batch_, {.choice = Choice::kSample, .trajectories = 2});
    EXPECT_TRUE(drawn.ok()) << drawn.status();
    return drawn.ok() ? test::ChoicesOf(*drawn) : std::vector<std::vector<int32_t>>();
  }

  void ExpectSameTours(const RolloutRequest& request) {
    const auto expected = own_->Run(batch_, request);
    const auto actual = torch_->Run(batch_, request);
    ASSERT_TRUE(expected.ok()) << expected.status();
    ASSERT_TRUE(actual.ok()) << actual.status();
    const auto wanted = test::ChoicesOf(*expected);
    const auto got = test::ChoicesOf(*actual);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t row = 0; row < got.size(); ++row) {
      EXPECT_EQ(got[row], wanted[row]) << "tour " << row;
      EXPECT_NEAR(actual->costs[row], expected->costs[row], 1e-9 * expected->costs[row])
          << "tour " << row;
    }
  }

  void ExpectSameGradient() {
    const auto tours = DrawTours();
    const GradientRequest request = {
        .rollout = {.choice = Choice::kForced, .trajectories = 2, .choices = tours}};
    const auto expected = own_->AddGradient(batch_, request, WeighByCost);
    const auto actual = torch_->AddGradient(batch_, request, WeighByCost);
    ASSERT_TRUE(expected.ok()) << expected.status();
    ASSERT_TRUE(actual.ok()) << actual.status();
    EXPECT_NEAR(actual->loss, expected->loss, 1e-4 * std::abs(expected->loss));
    const double difference =
        RelativeDifference(own_->parameters().gradient(), torch_->parameters().gradient());
    Record("gradient_difference", difference);
    EXPECT_LT(difference, 1e-5);
  }

  static void Record(const char* name, double value) { RecordProperty(name, absl::StrCat(value)); }

  // Compares the tours of instances first .. first + count - 1 as a separate batch, captured and
  // replayed.
  void ExpectSameToursOfFew(size_t first, size_t count) {
    const std::vector<Instance> all = RandomInstances();
    batch_ = MakeNetworkBatch(std::span(all).subspan(first, count), own_->batch_form());
    for (int rollout = 0; rollout < 4; ++rollout) ExpectSameTours({});
  }

  test::StepStreamCounts counts_;
  int recorded_ = 0;
  NetworkBatch batch_;
  std::unique_ptr<PolicyEngine> own_;
  std::unique_ptr<PolicyEngine> torch_;
};

TEST_P(EngineGpuTest, TakesTheSameGreedyTours) { ExpectSameTours({}); }

TEST_P(EngineGpuTest, TakesTheSameGreedyToursByCapturedRollouts) {
  UseTorchThatCountsCaptures();
  ExpectSameToursOfFew(0, 1);   // CVRP
  ExpectSameToursOfFew(1, 3);   // padded to four
  ExpectSameToursOfFew(5, 2);   // larger instances
  ExpectSameToursOfFew(7, 3);   // TSP
  ExpectSameToursOfFew(10, 3);  // with windows
  ExpectSameToursOfFew(3, 8);   // all kinds
  if (!Transformer()) {
    EXPECT_EQ(recorded_, 0);
    return;
  }
  batch_ = test::BatchOf({test::Variants().back()}, own_->batch_form());  // with a matrix
  for (int rollout = 0; rollout < 4; ++rollout) ExpectSameTours({});
  EXPECT_EQ(recorded_, 7);
}

TEST_P(EngineGpuTest, ReplaysCapturedRolloutsWithTheCurrentWeights) {
  UseTorchThatCountsCaptures();
  ExpectSameToursOfFew(0, 2);
  for (PolicyEngine* const engine : {own_.get(), torch_.get()}) {
    for (float& weight : engine->parameters().values()) weight *= 1.25F;
    EXPECT_TRUE(engine->ParametersChanged().ok());
  }
  ExpectSameToursOfFew(0, 2);
  EXPECT_EQ(recorded_, Transformer() ? 1 : 0);
}

TEST_P(EngineGpuTest, TakesTheSameSampledTours) {
  ExpectSameTours({.choice = Choice::kSample, .trajectories = 4, .seed = 9, .first_instance = 3});
}

TEST_P(EngineGpuTest, GivesTheSameLogLikelihoodsOfGivenTours) {
  const auto tours = DrawTours();
  const RolloutRequest request = {.choice = Choice::kForced, .trajectories = 2, .choices = tours};
  const auto expected = own_->Run(batch_, request);
  const auto actual = torch_->Run(batch_, request);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(actual.ok()) << actual.status();
  ASSERT_EQ(actual->log_likelihoods.size(), tours.size());
  double largest = 0;
  for (size_t row = 0; row < tours.size(); ++row) {
    const double difference = actual->log_likelihoods[row] - expected->log_likelihoods[row];
    EXPECT_NEAR(difference, 0, 1e-4) << "tour " << row;
    largest = std::max(largest, std::abs(difference));
  }
  Record("log_likelihood_difference", largest);
}

TEST_P(EngineGpuTest, GivesTheSameGradient) { ExpectSameGradient(); }

TEST_P(EngineGpuTest, GivesTheSameGradientWithoutBiasesOfAttention) {
  if (!Transformer()) GTEST_SKIP() << "a pointer network's attention has no bias";
  GraphTransformerOptions sizes = test::SmallTransformer();
  sizes.edge_bias = false;
  own_ = MakeCpuGraphTransformer(sizes, kFirstWeights);
  own_->parameters().TrackGradient();
  auto made = test::TorchTransformer(
      sizes, {.device = {.kind = GetParam().device}, .seed = kFirstWeights, .options = {}});
  ASSERT_TRUE(made.ok()) << made.status();
  torch_ = *std::move(made);
  torch_->parameters().TrackGradient();
  std::vector<Instance> equal_sizes;
  AddInstances({.customers = 20, .seed = 71}, 5, equal_sizes);
  batch_ = BatchOf(equal_sizes, own_->batch_form());
  ExpectSameGradient();
}

TEST_P(EngineGpuTest, GivesNearlyTheSameGradientInBf16) {
  const auto tours = DrawTours();
  const GradientRequest request = {
      .rollout = {.choice = Choice::kForced, .trajectories = 2, .choices = tours}};
  const auto bf16_engine = MakeTorch({.precision = Precision::kBf16});
  ASSERT_NE(bf16_engine, nullptr);
  ASSERT_TRUE(own_->AddGradient(batch_, request, WeighByCost).ok());
  ASSERT_TRUE(bf16_engine->AddGradient(batch_, request, WeighByCost).ok());
  // Rounding changes each number by up to 2^-8, so elements differ by a hundredth of the largest
  // one. The test bounds the noise's share of the gradient's power.
  Record("gradient_difference",
         RelativeDifference(own_->parameters().gradient(), bf16_engine->parameters().gradient()));
  const double noise =
      NoiseShare(own_->parameters().gradient(), bf16_engine->parameters().gradient());
  Record("gradient_noise", noise);
  EXPECT_LT(noise, 1e-3);
  EXPECT_GT(noise, 1e-6);  // shows that the engine computed in bf16
}

// If fused attention refused its inputs, torch would silently compute products in float32.
TEST_P(EngineGpuTest, ComputesAttentionInFusedKernels) {
  if (!Transformer()) GTEST_SKIP() << "a pointer network computes attention without fused kernels";
  if (GetParam().device == DeviceKind::kCpu) GTEST_SKIP() << "the CPU has no fused attention";
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const auto engine = MakeTorch({.precision = precision});
    ASSERT_NE(engine, nullptr);
    test::UsedOperators used;
    const absl::Status status =
        used.Record([&] { return engine->AddGradient(batch_, {}, WeighByCost).status(); });
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(used.names.contains("aten::_scaled_dot_product_efficient_attention"));
    EXPECT_FALSE(used.names.contains("aten::_scaled_dot_product_attention_math"));
  }
}

TEST_P(EngineGpuTest, GivesTheSameLogLikelihoodsInBothPasses) {
  const auto outcome = torch_->AddGradient(
      batch_, {.rollout = {.choice = Choice::kSample, .trajectories = 3}}, WeighByCost);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  Record("pass_difference", outcome->pass_difference);
  EXPECT_LT(outcome->pass_difference, 1e-4);
}

TEST_P(EngineGpuTest, CopiesNoDistanceMatricesForInstancesWithoutMatrices) {
  std::vector<Instance> instances = RandomInstances();
  const NetworkBatch without = BatchOf(instances, torch_->batch_form());
  const auto outcome = torch_->AddGradient(without, {}, WeighByCost);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->matrix_bytes, 0);
  EXPECT_EQ(outcome->copies > 0, GetParam().device == DeviceKind::kCuda);
  Record("copies", static_cast<double>(outcome->copies));
  Record("copied_bytes", static_cast<double>(outcome->copied_bytes));
}

INSTANTIATE_TEST_SUITE_P(Networks, EngineGpuTest,
                         testing::Values(EngineCase{"gt", DeviceKind::kCuda},
                                         EngineCase{"ptrnet", DeviceKind::kCuda},
                                         EngineCase{"gt", DeviceKind::kCpu},
                                         EngineCase{"ptrnet", DeviceKind::kCpu}),
                         [](const auto& one) { return one.param.Name(); });

}  // namespace
}  // namespace vrp
