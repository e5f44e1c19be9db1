// Compares captured steps of supervised training on CUDA with the CPU, with the same weights,
// labels, dropped units and draws.
#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/model/torch/engines.h"
#include "core/problem/generate/generators.h"
#include "tests/gpu/gpu_testing.h"
#include "tests/model/torch_step_stream.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

constexpr int64_t kLabelSteps = 8;
constexpr int32_t kLabelled = 16;  // instances of a full step

struct LabelsCase {
  const char* name;
  double teacher_forcing;
  bool dropout;
  Precision precision = Precision::kFp32;
  bool transformer = false;  // whether to use the graph transformer, not the pointer network
};
void PrintTo(const LabelsCase& one, std::ostream* out) { *out << one.name; }

class LabelStepsEngineGpuTest : public test::GpuTest,
                                public testing::WithParamInterface<LabelsCase> {
 protected:
  // Returns the reports of kLabelSteps steps on `device`, each in `parts` parts.
  std::vector<CapturedStepReport> Run(DeviceKind device, int32_t parts = 1) {
    EngineOptions options = {.precision = GetParam().precision};
    if (device == DeviceKind::kCpu) {
      options.step_stream = [this] { return test::TorchStepStream({.counts = &counts_}); };
    }
    const TorchEngineRequest request = {.device = {.kind = device}, .seed = 5, .options = options};
    const auto engine =
        GetParam().transformer
            ? *test::TorchTransformer(test::SmallTransformer(), request)
            : *test::TorchPointer({.hidden = 64, .layers = 2, .dropout = 0.2}, request);
    std::vector<float> mean(static_cast<size_t>(engine->parameters().size()));
    std::vector<float> square = mean;
    CapturedStepsState state = {.mean = mean, .square = square};
    const auto steps = engine->MakeCapturedSteps({.instances = kLabelled,
                                                  .nodes = 21,
                                                  .parts = parts,
                                                  .labels = true,
                                                  .label_smoothing = 0.05,
                                                  .dropout = GetParam().dropout,
                                                  // captured_steps_gpu_test.cc explains this
                                                  // epsilon.
                                                  .adamw = {.epsilon = 1e-5},
                                                  .learning_rates = {1e-4},
                                                  .report_every = 3});
    EXPECT_TRUE(steps.ok()) << steps.status();
    if (!steps.ok()) return {};
    EXPECT_TRUE((*steps)->Load(state).ok());
    for (int64_t step = 1; step <= kLabelSteps; ++step) {
      TakeStep(**steps, step, engine->batch_form());
    }
    const absl::Status saved = (*steps)->Save(state);
    EXPECT_TRUE(saved.ok()) << saved;
    weights_.assign(engine->parameters().values().begin(), engine->parameters().values().end());
    EXPECT_EQ(state.updates, kLabelSteps);
    return (*steps)->TakeReports();
  }

  // Takes a step; every fourth one has fewer instances.
  static void TakeStep(CapturedSteps& steps, int64_t step, const BatchForm& form) {
    const std::vector<Instance> instances =
        *GenerateInstances({.customers = 20, .seed = static_cast<uint64_t>(100 + step)},
                           step % 4 == 0 ? kLabelled / 2 : kLabelled);
    const NetworkBatch batch = test::BatchOf(instances, form);
    const auto labels = test::SampleLabels(batch);
    const absl::Status begun = steps.StepOnLabels({.choices = labels,
                                                   .steps = test::ChoicesIn(labels),
                                                   .cost = static_cast<double>(step),
                                                   .teacher_forcing = GetParam().teacher_forcing},
                                                  batch);
    EXPECT_TRUE(begun.ok()) << begun;
  }

  static void ExpectSame(const std::vector<CapturedStepReport>& actual,
                         const std::vector<CapturedStepReport>& expected) {
    ASSERT_EQ(expected.size(), kLabelSteps);
    ASSERT_EQ(actual.size(), kLabelSteps);
    const double share = GetParam().precision == Precision::kFp32 ? 1e-3 : 0.05;
    for (size_t i = 0; i < actual.size(); ++i) {
      SCOPED_TRACE(i + 1);
      EXPECT_EQ(actual[i].step, expected[i].step);
      EXPECT_EQ(actual[i].cost, expected[i].cost);
      EXPECT_EQ(actual[i].instances, expected[i].instances);
      EXPECT_EQ(actual[i].stuck, 0);
      EXPECT_NEAR(actual[i].loss, expected[i].loss, share * expected[i].loss);
      EXPECT_NEAR(actual[i].gradient_norm, expected[i].gradient_norm,
                  share * expected[i].gradient_norm);
      EXPECT_NEAR(actual[i].accuracy, expected[i].accuracy, 20 * share);
    }
  }

  test::StepStreamCounts counts_;
  std::vector<float> weights_;  // after the last run
};

TEST_P(LabelStepsEngineGpuTest, EqualTheCpusSteps) {
  const std::vector<CapturedStepReport> expected = Run(DeviceKind::kCpu);
  const std::vector<float> wanted = weights_;
  const std::vector<CapturedStepReport> actual = Run(DeviceKind::kCuda);
  ExpectSame(actual, expected);
  double largest = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, std::abs(double{weights_[i]} - wanted[i]));
  }
  RecordProperty("weight_difference", absl::StrCat(largest));
  EXPECT_LT(largest, GetParam().precision == Precision::kFp32 ? 1e-4 : 2e-3);
}

TEST_P(LabelStepsEngineGpuTest, StepsInPartsEqualStepsOfTheWholeBatch) {
  const std::vector<CapturedStepReport> expected = Run(DeviceKind::kCuda);
  const std::vector<CapturedStepReport> actual = Run(DeviceKind::kCuda, /*parts=*/5);
  ExpectSame(actual, expected);
}

INSTANTIATE_TEST_SUITE_P(
    TeacherForcing, LabelStepsEngineGpuTest,
    testing::Values(LabelsCase{"AllForced", 1, false}, LabelsCase{"WithDropout", 1, true},
                    LabelsCase{"OwnChoicesToo", 0.5, true},
                    LabelsCase{"InBf16", 0.5, true, Precision::kBf16},
                    LabelsCase{"Transformer", 1, false, Precision::kFp32, true}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace vrp
