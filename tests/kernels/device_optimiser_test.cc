// Tests the decisions of an optimiser step on the device. tests/train/adamw_test.cc compares the
// arithmetic of AdamW.
#include "core/kernels/optimiser/device_optimiser.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace vrp {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Five parameters with a gradient of norm 5, and the other inputs of a step.
struct Optimised {
  explicit Optimised(std::vector<double> learning_rates) : rates(std::move(learning_rates)) {
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
  Optimised(const Optimised&) = delete;
  Optimised& operator=(const Optimised&) = delete;

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
  Optimised one({0.1, 0.01});
  // With equal gradients, Adam moves by the learning rate.
  for (const float wanted : {0.9F, 0.89F, 0.88F}) {
    OptimiseOnCpu(one.task);
    EXPECT_NEAR(one.values[0], wanted, 1e-5);
    EXPECT_NEAR(one.values[1], wanted, 1e-5);
  }
  EXPECT_EQ(one.values[2], 1);
  EXPECT_DOUBLE_EQ(one.state.norm, 5);
  EXPECT_EQ(one.state.steps, 3);
  EXPECT_EQ(one.state.updates, 3);
}

TEST(DeviceOptimiserTest, SkipsAndCountsStepsWithNonFiniteGradientOrLoss) {
  Optimised one({0.1});
  one.gradient[3] = kNan;
  OptimiseOnCpu(one.task);
  EXPECT_TRUE(std::isnan(one.state.norm));
  one.gradient[3] = std::numeric_limits<float>::infinity();
  OptimiseOnCpu(one.task);
  one.gradient[3] = 0;
  one.loss = kNan;
  OptimiseOnCpu(one.task);
  EXPECT_EQ(one.values, std::vector<float>(5, 1));
  EXPECT_EQ(one.mean, std::vector<float>(5));
  EXPECT_EQ(one.state.steps, 3);
  EXPECT_EQ(one.state.updates, 0);
  EXPECT_EQ(one.state.applies, 0);
  one.loss = 0;
  OptimiseOnCpu(one.task);
  EXPECT_NEAR(one.values[0], 0.9, 1e-5);  // with the bias corrections of a first update
  EXPECT_EQ(one.state.updates, 1);
}

TEST(DeviceOptimiserTest, AveragesTheWeightsAfterEachUpdate) {
  Optimised one({0.1});
  std::vector<float> average = {3, 3, 3, 3, 3};
  one.task.average = average.data();
  one.task.average_decay = 0.2;
  one.loss = kNan;
  OptimiseOnCpu(one.task);
  EXPECT_EQ(average, std::vector<float>(5, 3));  // the step was skipped
  one.loss = 0;
  double wanted = 3;
  for (const double decay : {2.0 / 11, 0.2, 0.2}) {
    OptimiseOnCpu(one.task);
    wanted = decay * wanted + (1 - decay) * one.values[0];
    EXPECT_NEAR(average[0], wanted, 1e-6);
  }
  EXPECT_EQ(average[4], 3);  // belongs to no piece, like frozen parameters
}

TEST(DeviceOptimiserTest, ClipsByTheNorm) {
  Optimised one({0.1});
  one.task.clip = 2.5;
  OptimiseOnCpu(one.task);
  EXPECT_DOUBLE_EQ(one.state.norm, 5);
  EXPECT_FLOAT_EQ(one.mean[0], 0.15F);  // (1 - 0.9) of half of 3
}

TEST(DeviceOptimiserTest, DividesByTheLossScale) {
  Optimised one({0.1});
  one.ScaleLosses();
  OptimiseOnCpu(one.task);
  EXPECT_DOUBLE_EQ(one.state.norm, 5.0 / 8);
  EXPECT_FLOAT_EQ(one.mean[0], 0.3F / 8);
}

TEST(DeviceOptimiserTest, HalvesTheLossScaleAtAnOverflowAndDoublesItAfterGoodSteps) {
  Optimised one({0.1});
  one.ScaleLosses();
  one.gradient[0] = std::numeric_limits<float>::infinity();
  OptimiseOnCpu(one.task);
  EXPECT_EQ(one.scale, 4);
  one.gradient[0] = 3;
  for (int step = 0; step < 2; ++step) OptimiseOnCpu(one.task);
  EXPECT_EQ(one.scale, 4);
  EXPECT_EQ(one.scale_steps, 2);
  OptimiseOnCpu(one.task);
  EXPECT_EQ(one.scale, 8);
  EXPECT_EQ(one.scale_steps, 0);
  one.scale = std::numeric_limits<float>::max();
  for (int step = 0; step < 3; ++step) OptimiseOnCpu(one.task);
  EXPECT_EQ(one.scale, std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace vrp
