// Tests the device's optimiser step on the CPU: when the step skips, clips and scales.
// tests/train/adamw_test.cc tests the arithmetic of AdamW.
#include "core/kernels/optimiser/device_optimiser.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace vrp {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Five parameters with a gradient of norm 5, and the other inputs of a step.
struct OptimiserFixture {
  explicit OptimiserFixture(std::vector<double> learning_rates) : rates(std::move(learning_rates)) {
    task.size = std::ssize(values);
    task.arrays = {.values = values.data(),
                   .gradient = gradient.data(),
                   .mean = mean.data(),
                   .square = square.data()};
    task.pieces = pieces.data();
    task.piece_count = static_cast<int32_t>(pieces.size());
    task.sums = &sum;
    task.rates = rates.data();
    task.rate_count = std::ssize(rates);
    task.loss = &loss;
    task.clip = 100;
    task.state = &state;
  }
  OptimiserFixture(const OptimiserFixture&) = delete;
  OptimiserFixture& operator=(const OptimiserFixture&) = delete;

  void ScaleLosses() { task.loss_scale = {&scale, &scale_steps, 2, 0.5, 3}; }

  std::vector<float> values = {1, 1, 1, 1, 1};
  std::vector<float> gradient = {3, 4, 0, 0, 0};
  std::vector<float> mean = std::vector<float>(5);
  std::vector<float> square = std::vector<float>(5);
  std::vector<UpdatePiece> pieces = {{.first = 0, .count = 2}, {.first = 2, .count = 2}};
  std::vector<double> rates;
  double sum = 0;
  double loss = 0;
  float scale = 8;
  int32_t scale_steps = 0;
  OptimiserState state;
  OptimiserTask task;
};

TEST(DeviceOptimiserTest, UsesEachStepsLearningRateAndThenTheLastOne) {
  OptimiserFixture fixture({0.1, 0.01});
  // With equal gradients, Adam moves by the learning rate.
  for (const float wanted : {0.9F, 0.89F, 0.88F}) {
    OptimiseOnCpu(fixture.task);
    EXPECT_NEAR(fixture.values[0], wanted, 1e-5);
    EXPECT_NEAR(fixture.values[1], wanted, 1e-5);
  }
  EXPECT_EQ(fixture.values[2], 1);
  EXPECT_DOUBLE_EQ(fixture.state.norm, 5);
  EXPECT_EQ(fixture.state.steps, 3);
  EXPECT_EQ(fixture.state.updates, 3);
}

TEST(DeviceOptimiserTest, SkipsAndCountsStepsWithNonFiniteGradientOrLoss) {
  OptimiserFixture fixture({0.1});
  fixture.gradient[3] = kNan;
  OptimiseOnCpu(fixture.task);
  EXPECT_TRUE(std::isnan(fixture.state.norm));
  fixture.gradient[3] = std::numeric_limits<float>::infinity();
  OptimiseOnCpu(fixture.task);
  fixture.gradient[3] = 0;
  fixture.loss = kNan;
  OptimiseOnCpu(fixture.task);
  EXPECT_EQ(fixture.values, std::vector<float>(5, 1));
  EXPECT_EQ(fixture.mean, std::vector<float>(5));
  EXPECT_EQ(fixture.state.steps, 3);
  EXPECT_EQ(fixture.state.updates, 0);
  EXPECT_EQ(fixture.state.is_applied, 0);
  fixture.loss = 0;
  OptimiseOnCpu(fixture.task);
  EXPECT_NEAR(fixture.values[0], 0.9, 1e-5);  // with the bias corrections of a first update
  EXPECT_EQ(fixture.state.updates, 1);
}

TEST(DeviceOptimiserTest, AveragesTheWeightsAfterEachUpdate) {
  OptimiserFixture fixture({0.1});
  std::vector<float> average = {3, 3, 3, 3, 3};
  fixture.task.average = average.data();
  fixture.task.average_decay = 0.2;
  fixture.loss = kNan;
  OptimiseOnCpu(fixture.task);
  EXPECT_EQ(average, std::vector<float>(5, 3));  // the step was skipped
  fixture.loss = 0;
  double wanted = 3;
  for (const double decay : {2.0 / 11, 0.2, 0.2}) {
    OptimiseOnCpu(fixture.task);
    wanted = decay * wanted + (1 - decay) * fixture.values[0];
    EXPECT_NEAR(average[0], wanted, 1e-6);
  }
  EXPECT_EQ(average[4], 3);  // belongs to no piece, like frozen parameters
}

TEST(DeviceOptimiserTest, ClipsByTheNorm) {
  OptimiserFixture fixture({0.1});
  fixture.task.clip = 2.5;
  OptimiseOnCpu(fixture.task);
  EXPECT_DOUBLE_EQ(fixture.state.norm, 5);
  EXPECT_FLOAT_EQ(fixture.mean[0], 0.15F);  // (1 - 0.9) of half of 3
}

TEST(DeviceOptimiserTest, DividesGradientsByTheLossScale) {
  OptimiserFixture fixture({0.1});
  fixture.ScaleLosses();
  OptimiseOnCpu(fixture.task);
  EXPECT_DOUBLE_EQ(fixture.state.norm, 5.0 / 8);
  EXPECT_FLOAT_EQ(fixture.mean[0], 0.3F / 8);
}

TEST(DeviceOptimiserTest, HalvesTheLossScaleAtAnOverflowAndDoublesItAfterGoodSteps) {
  OptimiserFixture fixture({0.1});
  fixture.ScaleLosses();
  fixture.gradient[0] = std::numeric_limits<float>::infinity();
  OptimiseOnCpu(fixture.task);
  EXPECT_EQ(fixture.scale, 4);
  fixture.gradient[0] = 3;
  for (int step = 0; step < 2; ++step) OptimiseOnCpu(fixture.task);
  EXPECT_EQ(fixture.scale, 4);
  EXPECT_EQ(fixture.scale_steps, 2);
  OptimiseOnCpu(fixture.task);
  EXPECT_EQ(fixture.scale, 8);
  EXPECT_EQ(fixture.scale_steps, 0);
  fixture.scale = std::numeric_limits<float>::max();
  for (int step = 0; step < 3; ++step) OptimiseOnCpu(fixture.task);
  EXPECT_EQ(fixture.scale, std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace vrp
