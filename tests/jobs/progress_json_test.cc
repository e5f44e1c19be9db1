#include "core/jobs/progress_json.h"

#include <bit>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

constexpr char kSource[] = "jobs.db: events.progress";

class ProgressJsonTest : public ::testing::TestWithParam<double> {};

TEST_P(ProgressJsonTest, ReadsBackEveryDouble) {
  const TrainingProgress progress{.epoch = 3,
                                  .epochs = 9,
                                  .step = std::numeric_limits<int64_t>::max(),
                                  .steps = 1,
                                  .loss = GetParam(),
                                  .validation_cost = GetParam(),
                                  .instances_per_second = GetParam(),
                                  .end_of_epoch = true};
  const auto read = ParseProgress(WriteProgress(progress), kSource);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->step, progress.step);
  EXPECT_EQ(read->epoch, 3);
  EXPECT_TRUE(read->end_of_epoch);
  EXPECT_EQ(read->train_cost, 0);
  for (const double value : {read->loss, read->validation_cost, read->instances_per_second}) {
    EXPECT_TRUE(std::isnan(GetParam())
                    ? std::isnan(value)
                    : std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(GetParam()))
        << value;
  }
}

INSTANTIATE_TEST_SUITE_P(Values, ProgressJsonTest,
                         ::testing::Values(0.0, -0.0, 0.1, 1.0 / 3, -7.25e300, 5e-324, 1e17,
                                           std::numeric_limits<double>::quiet_NaN(),
                                           std::numeric_limits<double>::infinity(),
                                           -std::numeric_limits<double>::infinity()));

TEST(PublishedJsonTest, ReadsBackPublishedWeightsAndMapsLaterReasonsToUnknown) {
  const PublishedWeights published{
      .epoch = 3, .step = 15, .reason = PublishReason::kNotValidated, .validation_cost = 1.0 / 3};
  EXPECT_EQ(*ParsePublished(WritePublished(published), kSource), published);
  EXPECT_EQ(ParsePublished(R"({"reason":"a later one","step":4})", kSource)->reason,
            PublishReason::kUnknown);
  for (const char* text : {"", "[]", "{}", R"({"reason":1})", R"({"reason":"","step":"x"})"}) {
    EXPECT_TRUE(absl::IsDataLoss(ParsePublished(text, kSource).status())) << text;
  }
}

TEST(ProgressJsonTextTest, ReadsBackTotalsAndPhases) {
  TrainingProgress progress{.accuracy = 0.5, .pass_difference = 1e-7, .instances_seen = 99};
  progress.matrix_bytes_per_step = 2.5;
  progress.totals = {.steps = 1,
                     .skipped_steps = 2,
                     .instances = 3,
                     .phase_seconds = {},
                     .seconds = 4,
                     .copies = 5,
                     .copied_bytes = 6,
                     .matrix_bytes = 7};
  for (size_t phase = 0; phase < kPhaseNames.size(); ++phase) {
    progress.totals.phase_seconds[phase] = 0.25 * static_cast<double>(phase);
  }
  const TrainingProgress read = ParseProgress(WriteProgress(progress), kSource).value();
  EXPECT_EQ(read.totals.phase_seconds, progress.totals.phase_seconds);
  EXPECT_EQ(read.totals.steps, 1);
  EXPECT_EQ(read.totals.skipped_steps, 2);
  EXPECT_EQ(read.totals.instances, 3);
  EXPECT_EQ(read.totals.seconds, 4);
  EXPECT_EQ(read.totals.copies, 5);
  EXPECT_EQ(read.totals.copied_bytes, 6);
  EXPECT_EQ(read.totals.matrix_bytes, 7);
  EXPECT_EQ(read.accuracy, 0.5);
  EXPECT_EQ(read.pass_difference, 1e-7);
  EXPECT_EQ(read.instances_seen, 99);
  EXPECT_EQ(read.matrix_bytes_per_step, 2.5);
}

TEST(ProgressJsonTextTest, ReadsBackThePhasesOfTheRun) {
  TrainingProgress progress;
  for (size_t phase = 0; phase < kRunPhaseNames.size(); ++phase) {
    progress.totals.run_phases[phase] = {.wall_seconds = 0.5 * static_cast<double>(phase),
                                         .thread_seconds = 3};
  }
  const TrainingProgress read = ParseProgress(WriteProgress(progress), kSource).value();
  for (size_t phase = 0; phase < kRunPhaseNames.size(); ++phase) {
    EXPECT_EQ(read.totals.run_phases[phase].wall_seconds, 0.5 * static_cast<double>(phase));
    EXPECT_EQ(read.totals.run_phases[phase].thread_seconds, 3);
  }
  EXPECT_EQ(read.totals.WallSeconds(), 14);
}

TEST(ProgressJsonTextTest, ReadsBackReferenceAndSpeed) {
  const TrainingProgress progress{
      .seconds_per_step = 0.25, .seconds_per_epoch = 30, .reference = "search 200 iterations"};
  const TrainingProgress read = ParseProgress(WriteProgress(progress), kSource).value();
  EXPECT_EQ(read.seconds_per_step, 0.25);
  EXPECT_EQ(read.seconds_per_epoch, 30);
  EXPECT_EQ(read.reference, "search 200 iterations");
  EXPECT_TRUE(absl::IsDataLoss(ParseProgress(R"({"reference": 1})", kSource).status()));
}

TEST(ProgressJsonTextTest, ReadsBackKnownGpuValuesAndOmitsOthers) {
  TrainingProgress progress;
  EXPECT_EQ(WriteProgress(progress).find("device"), std::string::npos)
      << "a job on a CPU has no device values";
  EXPECT_EQ(ParseProgress(WriteProgress(progress), kSource)->device_utilization, std::nullopt);
  progress.device_utilization = 0.83;
  progress.device_memory_used_bytes = int64_t{13} << 30;
  const TrainingProgress read = ParseProgress(WriteProgress(progress), kSource).value();
  EXPECT_EQ(read.device_utilization, 0.83);
  EXPECT_EQ(read.device_memory_used_bytes, int64_t{13} << 30);
  EXPECT_TRUE(
      absl::IsDataLoss(ParseProgress(R"({"device_utilization": "much"})", kSource).status()));
}

// Version 0.1.0 wrote the text.
TEST(ProgressJsonTextTest, ReadsProgressOfEarlierVersions) {
  const auto read = ParseProgress(R"({"epoch":1,"epochs":2,"step":3,"steps":4,"loss":0.5,
      "train_cost":6,"validation_cost":"nan","validation_reference":7,"learning_rate":0.001,
      "gradient_norm":1,"instances_per_second":100,"end_of_epoch":false})",
                                  kSource);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->step, 3);
  EXPECT_TRUE(std::isnan(read->validation_gap));
  EXPECT_TRUE(std::isnan(read->accuracy));
  EXPECT_TRUE(std::isnan(read->validation_accuracy));
  EXPECT_EQ(read->totals.steps, 0);
  EXPECT_EQ(read->totals.WallSeconds(), 0);
  EXPECT_TRUE(std::isnan(read->seconds_per_step));
  EXPECT_TRUE(std::isnan(read->seconds_per_epoch));
  EXPECT_EQ(read->reference, "");
}

TEST(ProgressJsonTextTest, ReportsInvalidTextAsDataLoss) {
  for (const char* text :
       {"", "{", "[]", R"({"step": "3"})", R"({"loss": "much"})", R"({"end_of_epoch": 1})"}) {
    const absl::Status status = ParseProgress(text, kSource).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << text;
    EXPECT_TRUE(FromAbsl(status.message()).starts_with("jobs.db: events.progress: got ")) << status;
  }
  EXPECT_TRUE(ParseProgress(R"({"a_later_key": 1})", kSource).ok());
}

}  // namespace
}  // namespace vrp
