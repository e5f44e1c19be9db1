#include "core/train/run/divergence_guard.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

using testing::HasSubstr;

TEST(DivergenceGuardTest, FailsAtTheTenthSkippedStepInARow) {
  test::Recorder recorder;
  DivergenceGuard guard(recorder);
  for (int64_t step = 1; step <= 9; ++step)
    EXPECT_TRUE(guard.Skipped(step, "loss nan", false).ok());
  guard.Applied();
  for (int64_t step = 11; step <= 19; ++step) {
    EXPECT_TRUE(guard.Skipped(step, "loss nan", false).ok());
  }
  const absl::Status failed = guard.Skipped(20, "loss nan", false);
  EXPECT_EQ(failed.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(failed.message()), HasSubstr("the last at step 20 (loss nan)"));
  EXPECT_THAT(recorder.log, HasSubstr("step 1: skipped: loss nan"));
}

TEST(DivergenceGuardTest, AllowsMoreOverflowsOfFp16) {
  test::Recorder recorder;
  DivergenceGuard guard(recorder);
  for (int64_t step = 1; step <= 49; ++step)
    EXPECT_TRUE(guard.Skipped(step, "loss inf", true).ok());
  EXPECT_EQ(guard.Skipped(50, "loss inf", true).code(), absl::StatusCode::kInternal);
  EXPECT_THAT(recorder.log, HasSubstr("step 1: skipped: overflow in fp16"));
}

TEST(DivergenceGuardTest, ContinuesItsCountFromACheckpoint) {
  test::Recorder recorder;
  DivergenceGuard saved(recorder);
  for (int64_t step = 1; step <= 9; ++step)
    EXPECT_TRUE(saved.Skipped(step, "loss nan", false).ok());
  DivergenceGuard guard(recorder);
  guard.Restore(saved.ScalarState());
  EXPECT_FALSE(guard.Skipped(10, "loss nan", false).ok());
}

}  // namespace
}  // namespace vrp
