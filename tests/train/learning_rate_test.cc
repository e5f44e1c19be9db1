#include "core/train/optimiser/learning_rate.h"

#include <cmath>

#include "gtest/gtest.h"

namespace vrp {
namespace {

// Returns a configuration with 10 epochs of 10 steps.
TrainingConfig Config(Schedule schedule) {
  TrainingConfig config;
  config.epochs = 10;
  config.batches_per_epoch = 10;
  config.learning_rate = 0.8;
  config.schedule = schedule;
  return config;
}

TEST(LearningRateTest, ConstantDoesNotChange) {
  for (const int64_t step : {0, 55, 99}) {
    EXPECT_EQ(LearningRateAt(Config(Schedule::kConstant), step), 0.8);
  }
}

TEST(LearningRateTest, ExponentialFallsByItsFactorEachEpoch) {
  TrainingConfig config = Config(Schedule::kExponential);
  config.learning_rate_decay = 0.5;
  EXPECT_EQ(LearningRateAt(config, 9), 0.8);
  EXPECT_EQ(LearningRateAt(config, 10), 0.4);
  EXPECT_EQ(LearningRateAt(config, 39), 0.1);
}

TEST(LearningRateTest, StepFallsAtItsMilestones) {
  TrainingConfig config = Config(Schedule::kStep);
  config.learning_rate_decay = 0.1;
  config.milestones = {4, 8};
  EXPECT_EQ(LearningRateAt(config, 39), 0.8);
  EXPECT_DOUBLE_EQ(LearningRateAt(config, 40), 0.08);
  EXPECT_DOUBLE_EQ(LearningRateAt(config, 99), 0.008);
}

TEST(LearningRateTest, LinearAndCosineEndAtTheFinalRate) {
  for (const Schedule schedule : {Schedule::kLinear, Schedule::kCosine}) {
    TrainingConfig config = Config(schedule);
    config.final_learning_rate = 0.2;
    EXPECT_DOUBLE_EQ(LearningRateAt(config, 0), 0.8);
    EXPECT_NEAR(LearningRateAt(config, 99), 0.2, 1e-12);
    const double half = (LearningRateAt(config, 49) + LearningRateAt(config, 50)) / 2;
    EXPECT_NEAR(half, 0.5, 1e-12);
  }
  TrainingConfig config = Config(Schedule::kCosine);
  EXPECT_NEAR(LearningRateAt(config, 33), 0.4 * (1 + std::cos(M_PI / 3)), 1e-12);
}

TEST(LearningRateTest, WarmsUpLinearlyToTheSchedule) {
  TrainingConfig config = Config(Schedule::kLinear);
  config.warmup_steps = 20;
  EXPECT_DOUBLE_EQ(LearningRateAt(config, 0), 0.8 / 20);
  EXPECT_DOUBLE_EQ(LearningRateAt(config, 9), 0.4);
  EXPECT_DOUBLE_EQ(LearningRateAt(config, 19), 0.8);
  EXPECT_DOUBLE_EQ(LearningRateAt(config, 20), 0.8);
  EXPECT_NEAR(LearningRateAt(config, 99), 0, 1e-12);
}

}  // namespace
}  // namespace vrp
