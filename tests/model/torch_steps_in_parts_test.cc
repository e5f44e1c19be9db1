// Compares steps that process their instances in parts with steps that process all of them
// together.
#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <vector>

#include "core/model/torch/engines.h"
#include "gtest/gtest.h"
#include "tests/model/torch_step_stream.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

constexpr int32_t kDividedInstances = 7;
constexpr int64_t kDividedSteps = 5;

struct PartsCase {
  const char* name;
  StepBaseline baseline;
  bool pointer = false;
  bool drawn = false;
};
void PrintTo(const PartsCase& one, std::ostream* out) { *out << one.name; }

class StepsInPartsTest : public testing::TestWithParam<PartsCase> {
 protected:
  struct StepResults {
    std::vector<CapturedStepReport> reports;
    std::vector<float> weights;
    std::vector<float> weight_average;
    double average = 0;  // moving average of costs
  };

  StepResults Run(int32_t parts) {
    const std::unique_ptr<PolicyEngine> engine = MakeEngine();
    const std::unique_ptr<PolicyEngine> baseline = MakeEngine();
    for (float& weight : baseline->parameters().values()) weight *= 1.1F;
    EXPECT_TRUE(baseline->ParametersChanged().ok());
    const bool shared = GetParam().baseline == StepBaseline::kShared;
    // A large epsilon keeps gradients that are only rounding errors from causing arbitrary updates.
    CapturedStepsRequest request = {.instances = kDividedInstances,
                                    .nodes = 8,
                                    .parts = parts,
                                    .trajectories = shared ? 3 : 1,
                                    .distinct_starts = shared,
                                    .baseline = baseline.get(),
                                    .adamw = {.epsilon = 1e-3},
                                    .weight_average = 0.5,
                                    .learning_rates = {1e-3},
                                    .report_every = 2};
    if (GetParam().drawn) request.drawn = kDrawn;
    const auto steps = engine->MakeCapturedSteps(request);
    EXPECT_TRUE(steps.ok()) << steps.status();
    StepResults results;
    const std::span<float> values = engine->parameters().values();
    std::vector<float> mean(values.size());
    std::vector<float> square(values.size());
    results.weight_average.assign(values.begin(), values.end());
    CapturedStepsState state = {
        .mean = mean, .square = square, .weight_average = results.weight_average};
    EXPECT_TRUE((*steps)->Load(state).ok());
    for (int64_t step = 1; step <= kDividedSteps; ++step) {
      const absl::Status status =
          GetParam().drawn
              ? (*steps)->Step(GetParam().baseline)
              : (*steps)->Step(GetParam().baseline, BatchOfSizes(step, engine->batch_form()));
      EXPECT_TRUE(status.ok()) << status;
    }
    EXPECT_TRUE((*steps)->Save(state).ok());
    results.reports = (*steps)->TakeReports();
    results.weights.assign(values.begin(), values.end());
    results.average = state.average.value;
    return results;
  }

 private:
  static constexpr UniformInstances kDrawn = {
      .seed = 77, .customers = 7, .min_capacity = 20, .max_capacity = 30};

  std::unique_ptr<PolicyEngine> MakeEngine() {
    const EngineOptions options = {
        .step_stream = [this] { return test::TorchStepStream({.counts = &counts_}); }};
    if (!GetParam().pointer) {
      return test::TransformerEngine(at::kFloat, test::SmallTransformer(), options);
    }
    return *test::TorchPointer({.hidden = 16, .layers = 2}, {.device = {}, .options = options});
  }

  static NetworkBatch BatchOfSizes(int64_t step, const BatchForm& form) {
    std::vector<Instance> instances;
    for (int32_t b = 0; b < kDividedInstances; ++b) {
      instances.push_back(test::AnInstance()
                              .WithCustomers(4 + b % 4)
                              .RandomDemands()
                              .Seed(static_cast<uint64_t>(step * kDividedInstances + b))
                              .Build());
    }
    return test::BatchOf(instances, form);
  }

  test::StepStreamCounts counts_;
};

double LargestDifference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double{a[i]} - b[i]));
  }
  return largest;
}

TEST_P(StepsInPartsTest, EqualStepsOfTheWholeBatch) {
  const StepResults whole = Run(1);
  ASSERT_EQ(whole.reports.size(), kDividedSteps);
  for (const int32_t parts : {2, 3, kDividedInstances}) {
    SCOPED_TRACE(parts);
    const StepResults divided = Run(parts);
    ASSERT_EQ(divided.reports.size(), kDividedSteps);
    for (size_t i = 0; i < kDividedSteps; ++i) {
      SCOPED_TRACE(i + 1);
      const CapturedStepReport& expected = whole.reports[i];
      const CapturedStepReport& actual = divided.reports[i];
      EXPECT_NEAR(actual.cost, expected.cost, 1e-9);  // the same tours
      // Rounding of float32 depends on the instruction set and the number of threads.
      EXPECT_NEAR(actual.loss, expected.loss, 1e-6 * std::max(1.0, std::abs(expected.loss)));
      EXPECT_NEAR(actual.gradient_norm, expected.gradient_norm, 1e-4 * expected.gradient_norm);
      EXPECT_EQ(actual.instances, kDividedInstances);
      EXPECT_EQ(actual.stuck, 0);
      EXPECT_LT(actual.pass_difference, 1e-5);
      EXPECT_TRUE(actual.applied);
    }
    EXPECT_LT(LargestDifference(divided.weights, whole.weights), 1e-6);
    EXPECT_LT(LargestDifference(divided.weight_average, whole.weight_average), 1e-6);
    EXPECT_NEAR(divided.average, whole.average, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Baselines, StepsInPartsTest,
                         testing::Values(PartsCase{"Shared", StepBaseline::kShared},
                                         PartsCase{"Average", StepBaseline::kAverage},
                                         PartsCase{"Greedy", StepBaseline::kGreedy},
                                         PartsCase{"Drawn", StepBaseline::kShared, false, true},
                                         PartsCase{"DrawnWithAnAverage", StepBaseline::kAverage,
                                                   false, true},
                                         PartsCase{"PointerShared", StepBaseline::kShared, true},
                                         PartsCase{"PointerAverage", StepBaseline::kAverage, true},
                                         PartsCase{"PointerGreedy", StepBaseline::kGreedy, true}),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace vrp
