#include "server/convert/job_convert.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/convert/model_convert.h"

namespace vrp {
namespace {

TEST(ProgressToProto, NamesTheReferenceOfItsGap) {
  const v1::TrainingProgress message =
      ToProto(TrainingProgress{.validation_cost = 6.5,
                               .validation_reference = 6.25,
                               .validation_gap = 0.05,
                               .reference = "search 50 iterations"});
  EXPECT_EQ(message.validation_gap(), 0.05);
  EXPECT_EQ(message.validation_reference(), "search 50 iterations");
  EXPECT_EQ(message.validation_reference_cost(), 6.25);
}

TEST(ProgressToProto, OmitsAnUnknownPace) {
  EXPECT_FALSE(ToProto(TrainingProgress{}).has_seconds_per_step());
  EXPECT_FALSE(ToProto(TrainingProgress{}).has_seconds_per_epoch());
  const v1::TrainingProgress message =
      ToProto(TrainingProgress{.seconds_per_step = 0.5, .seconds_per_epoch = 12});
  EXPECT_EQ(message.seconds_per_step(), 0.5);
  EXPECT_EQ(message.seconds_per_epoch(), 12);
}

TEST(TotalsToProto, ReportsWallTimeByPhase) {
  TrainingTotals totals;
  for (size_t phase = 0; phase < kRunPhaseNames.size(); ++phase) {
    totals.run_phases[phase] = {.wall_seconds = static_cast<double>(phase), .thread_seconds = 50};
  }
  const v1::TrainingTotals message = ToProto(TrainingProgress{.totals = totals}).totals();
  ASSERT_EQ(message.wall_phases_size(), 8);
  EXPECT_EQ(message.wall_phases(0).phase(), "preparation");
  EXPECT_EQ(message.wall_phases(7).phase(), "other");
  EXPECT_EQ(message.wall_phases(7).wall_seconds(), 7);
  EXPECT_EQ(message.wall_phases(7).thread_seconds(), 50);
  EXPECT_EQ(message.wall_seconds(), 28);
}

TEST(TotalsToProto, OmitsWallTimeOfEarlierVersions) {
  const v1::TrainingTotals message =
      ToProto(TrainingProgress{.totals = {.steps = 3, .seconds = 2}}).totals();
  EXPECT_EQ(message.wall_phases_size(), 0);
  EXPECT_EQ(message.wall_seconds(), 0);
  EXPECT_EQ(message.phases_size(), 8);
}

TEST(ModelToProto, ReturnsTheGapOfTheCard) {
  ModelVersion version;
  version.name = "a";
  version.version = 1;
  version.card.validation_cost = 6.5;
  version.card.validation_reference = 6.25;
  EXPECT_FALSE(ToProto(version).has_validation_gap());
  EXPECT_EQ(ToProto(version).validation_reference_cost(), 6.25);
  version.card.validation_gap = 0.05;
  version.card.reference = "nearest neighbour";
  EXPECT_EQ(ToProto(version).validation_gap(), 0.05);
  EXPECT_EQ(ToProto(version).validation_reference(), "nearest neighbour");
}

}  // namespace
}  // namespace vrp
