// Compares captured training steps on CUDA with the CPU, with the same weights, instances and
// draws.
#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/random.h"
#include "core/model/torch/device_optimiser.h"
#include "core/model/torch/engines.h"
#include "core/problem/generate/generators.h"
#include "tests/gpu/gpu_testing.h"
#include "tests/model/torch_step_stream.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

constexpr int64_t kSteps = 8;
// Number of instances. It is small, because a draw near the boundary between two nodes'
// probabilities may differ on another device.
constexpr int32_t kInstances = 8;

// The instances of all steps, which the host or the device generates.
constexpr UniformInstances kDrawn = {
    .seed = 100, .customers = 20, .min_capacity = 30, .max_capacity = 30};

NetworkBatch BatchOfStep(int64_t step, const BatchForm& form) {
  std::vector<InstanceData> instances;
  for (int64_t i = (step - 1) * kInstances; i < step * kInstances; ++i) {
    instances.push_back(GenerateInstanceData({.customers = 20, .seed = kDrawn.seed}, i));
  }
  return MakeNetworkBatch(std::span<const InstanceData>(instances), form);
}

struct StepsCase {
  const char* name;
  StepBaseline baseline;
  int32_t trajectories;
  bool starts;
  Precision precision = Precision::kFp32;
  int32_t nodes = 21;    // maximum number of nodes
  bool pointer = false;  // whether to use the pointer network, not the graph transformer
};
void PrintTo(const StepsCase& one, std::ostream* out) { *out << one.name; }

class StepsEngineGpuTest : public test::GpuTest, public testing::WithParamInterface<StepsCase> {
 protected:
  static std::unique_ptr<PolicyEngine> MakeEngine(const TorchEngineRequest& request) {
    return GetParam().pointer ? *test::TorchPointer({.hidden = 32, .layers = 2}, request)
                              : *test::TorchTransformer(test::SmallTransformer(), request);
  }

  // Returns the reports of kSteps steps on `device`, each in `parts` parts. With `draws`, the
  // device draws the instances.
  std::vector<CapturedStepReport> Run(DeviceKind device, bool draws = false, int32_t parts = 1) {
    EngineOptions options = {.precision = GetParam().precision};
    if (device == DeviceKind::kCpu) {
      options.step_stream = [this] { return test::TorchStepStream({.counts = &counts_}); };
    }
    const TorchEngineRequest request = {.device = {.kind = device}, .seed = 5, .options = options};
    const auto engine = MakeEngine(request);
    const auto baseline = MakeEngine(request);
    std::vector<float> mean(static_cast<size_t>(engine->parameters().size()));
    std::vector<float> square = mean;
    average_.assign(engine->parameters().values().begin(), engine->parameters().values().end());
    CapturedStepsState state = {.mean = mean, .square = square, .weight_average = average_};
    CapturedStepsRequest captured = {.instances = kInstances,
                                     .nodes = GetParam().nodes,
                                     .parts = parts,
                                     .trajectories = GetParam().trajectories,
                                     .distinct_starts = GetParam().starts,
                                     .baseline = baseline.get(),
                                     // Some gradients are only rounding errors of 1e-8, which
                                     // Adam's default epsilon would turn into full updates that
                                     // differ by device.
                                     .adamw = {.epsilon = 1e-5},
                                     .weight_average = 0.9,
                                     .learning_rates = {1e-4},
                                     .report_every = 3};
    if (draws) captured.drawn = kDrawn;
    const auto steps = engine->MakeCapturedSteps(captured);
    EXPECT_TRUE(steps.ok()) << steps.status();
    if (!steps.ok()) return {};
    EXPECT_TRUE((*steps)->Load(state).ok());
    for (int64_t step = 1; step <= kSteps; ++step) {
      const absl::Status begun =
          draws ? (*steps)->Step(GetParam().baseline)
                : (*steps)->Step(GetParam().baseline, BatchOfStep(step, engine->batch_form()));
      EXPECT_TRUE(begun.ok()) << begun;
    }
    EXPECT_EQ((*steps)->batch_bytes() > 0, device == DeviceKind::kCuda && !draws);
    const absl::Status saved = (*steps)->Save(state);
    EXPECT_TRUE(saved.ok()) << saved;
    weights_.assign(engine->parameters().values().begin(), engine->parameters().values().end());
    EXPECT_EQ(state.updates, kSteps);
    return (*steps)->TakeReports();
  }

  static bool Exact() { return GetParam().precision == Precision::kFp32; }
  static void ExpectSame(const std::vector<CapturedStepReport>& actual,
                         const std::vector<CapturedStepReport>& expected) {
    ASSERT_EQ(expected.size(), kSteps);
    ASSERT_EQ(actual.size(), kSteps);
    const bool exact = Exact();
    for (size_t i = 0; i < actual.size(); ++i) {
      SCOPED_TRACE(i + 1);
      EXPECT_EQ(actual[i].step, expected[i].step);
      EXPECT_EQ(actual[i].instances, kInstances);
      EXPECT_EQ(actual[i].stuck, 0);
      EXPECT_LT(actual[i].pass_difference, 1e-4);
      // In bf16 draws may differ, so only costs are similar.
      EXPECT_NEAR(actual[i].cost, expected[i].cost, (exact ? 1e-6 : 0.1) * expected[i].cost);
      if (!exact) continue;
      EXPECT_NEAR(actual[i].gradient_norm, expected[i].gradient_norm,
                  1e-3 * expected[i].gradient_norm);
    }
  }

  test::StepStreamCounts counts_;
  std::vector<float> weights_;  // after the last run
  std::vector<float> average_;  // moving average after the last run
};

TEST_P(StepsEngineGpuTest, EqualTheCpusSteps) {
  const std::vector<CapturedStepReport> expected = Run(DeviceKind::kCpu);
  const std::vector<float> wanted = weights_;
  const std::vector<float> wanted_average = average_;
  const std::vector<CapturedStepReport> actual = Run(DeviceKind::kCuda);
  ExpectSame(actual, expected);
  double largest = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, std::abs(double{weights_[i]} - wanted[i]));
    largest = std::max(largest, std::abs(double{average_[i]} - wanted_average[i]));
  }
  RecordProperty("weight_difference", absl::StrCat(largest));
  EXPECT_LT(largest, Exact() ? 1e-4 : 2e-3);
}

TEST_P(StepsEngineGpuTest, StepsInPartsEqualStepsOfTheWholeBatch) {
  const std::vector<CapturedStepReport> expected = Run(DeviceKind::kCuda);
  const std::vector<float> wanted = weights_;
  const std::vector<CapturedStepReport> actual =
      Run(DeviceKind::kCuda, /*draws=*/false, /*parts=*/3);
  ExpectSame(actual, expected);
  double largest = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, std::abs(double{weights_[i]} - wanted[i]));
  }
  RecordProperty("weight_difference", absl::StrCat(largest));
  EXPECT_LT(largest, Exact() ? 1e-4 : 2e-3);
}

TEST_P(StepsEngineGpuTest, UseTheSameInstancesWhenTheDeviceDrawsThem) {
  if (GetParam().pointer) {
    GTEST_SKIP() << "the pointer network orders its nodes, so the host generates the instances";
  }
  const std::vector<CapturedStepReport> expected = Run(DeviceKind::kCuda);
  const std::vector<CapturedStepReport> actual = Run(DeviceKind::kCuda, /*draws=*/true);
  ASSERT_EQ(expected.size(), kSteps);
  ASSERT_EQ(actual.size(), kSteps);
  // Instances that fill their batch have no padding, and their attention rounds otherwise. Few
  // steps are enough for other samples.
  const bool exact =
      GetParam().precision == Precision::kFp32 && GetParam().nodes == StepsCase().nodes;
  for (size_t i = 0; i < actual.size(); ++i) {
    SCOPED_TRACE(i + 1);
    EXPECT_NEAR(actual[i].cost, expected[i].cost, (exact ? 1e-6 : 0.1) * expected[i].cost);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Baselines, StepsEngineGpuTest,
    testing::Values(
        StepsCase{"Pomo", StepBaseline::kShared, 6, true},
        StepsCase{"Samples", StepBaseline::kShared, 4, false},
        StepsCase{"Average", StepBaseline::kAverage, 1, false},
        StepsCase{"Greedy", StepBaseline::kGreedy, 1, false},
        StepsCase{"Best", StepBaseline::kBest, 8, false},
        StepsCase{"PomoInBf16", StepBaseline::kShared, 20, true, Precision::kBf16},
        StepsCase{"Padded", StepBaseline::kShared, 4, false, Precision::kFp32, 27},
        StepsCase{"PointerPomo", StepBaseline::kShared, 6, true, Precision::kFp32, 21, true},
        StepsCase{"PointerBest", StepBaseline::kBest, 8, false, Precision::kFp32, 21, true},
        StepsCase{"PointerGreedy", StepBaseline::kGreedy, 1, false, Precision::kFp32, 21, true}),
    [](const auto& one) { return one.param.name; });

// Weights after some updates on one device. All devices start from the same weights and use the
// same gradients.
struct OptimisedWeights {
  explicit OptimisedWeights(at::Device device) {
    constexpr double kRates[] = {0.01, 0.02, 0.005};
    FlatParameters host(GraphTransformerLayout(test::SmallTransformer()), 7);
    TorchParameters parameters(&host, at::TensorOptions(at::kFloat).device(device));
    parameters.TrackGradient();
    const DeviceOptimiser optimiser(parameters, host.layout(),
                                    {.adamw = {.weight_decay = 0.1},
                                     .clip = 20,
                                     .average_decay = 0.15,
                                     .learning_rates = kRates},
                                    nullptr);
    const at::Tensor loss = at::zeros({}, at::TensorOptions(at::kDouble).device(device));
    for (uint64_t step = 1; step <= 3; ++step) {
      CounterRandom random(3, step);
      at::Tensor gradient = at::empty({host.size()}, at::kFloat);
      for (int64_t i = 0; i < host.size(); ++i) {
        gradient.mutable_data_ptr<float>()[i] = random.UniformFloat() - 0.5F;
      }
      parameters.gradient().copy_(gradient);
      EXPECT_TRUE(optimiser.Step(loss).ok());
    }
    parameters.Download();
    values.assign(host.values().begin(), host.values().end());
    mean = square = average = values;
    state = {.mean = mean, .square = square, .weight_average = average};
    optimiser.Save(state);
    norm = optimiser.Norm().item<double>();
  }

  std::vector<float> values;
  std::vector<float> mean;
  std::vector<float> square;
  std::vector<float> average;
  CapturedStepsState state;
  double norm = 0;
};

class DeviceOptimiserGpuTest : public test::GpuTest {};

TEST_F(DeviceOptimiserGpuTest, ComputesTheWeightsOfTheCpuBitForBit) {
  const OptimisedWeights cpu(at::kCPU);
  const OptimisedWeights cuda(at::Device(at::kCUDA, 0));
  EXPECT_EQ(cuda.values, cpu.values);
  EXPECT_EQ(cuda.mean, cpu.mean);
  EXPECT_EQ(cuda.square, cpu.square);
  EXPECT_EQ(cuda.average, cpu.average);
  EXPECT_EQ(cuda.norm, cpu.norm);
  EXPECT_EQ(cuda.state.updates, 3);
  EXPECT_GT(cpu.norm, 20);
}

}  // namespace
}  // namespace vrp
