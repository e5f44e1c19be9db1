#include "core/jobs/progress_scalars.h"

#include <cmath>
#include <optional>

#include "gtest/gtest.h"

namespace vrp {
namespace {

std::optional<double> ValueOf(const TrainingProgress& progress, std::string_view tag) {
  for (const TensorBoardScalar& scalar : ProgressScalars(progress)) {
    if (scalar.tag == tag) return scalar.value;
  }
  return std::nullopt;
}

TEST(ProgressScalars, GivesEachReferenceItsOwnChart) {
  TrainingProgress progress{.validation_gap = 0.05, .reference = "nearest neighbour"};
  EXPECT_EQ(ValueOf(progress, "validation/gap_vs_nearest_neighbour"), 0.05);
  progress.reference = "search 200 iterations";
  EXPECT_EQ(ValueOf(progress, "validation/gap_vs_search_200_iterations"), 0.05);
  progress.reference = "file's reference costs";
  EXPECT_EQ(ValueOf(progress, "validation/gap_vs_files_reference_costs"), 0.05);
  EXPECT_EQ(ValueOf(progress, "validation/gap"), std::nullopt);
}

TEST(ProgressScalars, ContainsSecondsPerStepAndEpoch) {
  const TrainingProgress progress{.seconds_per_step = 0.25, .seconds_per_epoch = 30};
  EXPECT_EQ(ValueOf(progress, "speed/seconds_per_step"), 0.25);
  EXPECT_EQ(ValueOf(progress, "speed/seconds_per_epoch"), 30);
  EXPECT_TRUE(std::isnan(*ValueOf({}, "speed/seconds_per_epoch"))) << "no epoch has ended";
}

}  // namespace
}  // namespace vrp
