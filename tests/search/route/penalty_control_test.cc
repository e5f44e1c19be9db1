#include "core/search/route/penalty_control.h"

#include <gtest/gtest.h>

namespace vrp {
namespace {

constexpr Penalties kFirst = {.load = 10, .time = 2, .distance = 3};

void RecordWindow(PenaltyControl& control, const LimitExcess& excess) {
  while (!control.Record(excess)) continue;
}

TEST(PenaltyControlTest, RaisesWhatIsBrokenAndLowersWhatIsKept) {
  PenaltyControl control(kFirst, {});
  RecordWindow(control, {.load = 1});
  EXPECT_GT(control.penalties().load, kFirst.load);
  EXPECT_LT(control.penalties().time, kFirst.time);
  EXPECT_LT(control.penalties().distance, kFirst.distance);
  EXPECT_GT(control.Repairing().load, control.penalties().load);
}

TEST(PenaltyControlTest, LeavesAPenaltyWithinTheToleranceOfTheTarget) {
  PenaltyControl control(kFirst, {.window = 10, .tolerance = 0});
  bool adapted = false;
  for (int32_t plan = 0; plan < 10; ++plan)
    adapted = control.Record({.load = plan < 3 ? 0.0 : 1.0});
  EXPECT_TRUE(adapted);
  EXPECT_EQ(control.penalties().load, kFirst.load);
  for (int32_t plan = 0; plan < 10; ++plan) control.Record({.load = plan < 4 ? 0.0 : 1.0});
  EXPECT_LT(control.penalties().load, kFirst.load);
}

TEST(PenaltyControlTest, AdaptsTheSameInEveryUnit) {
  constexpr double kScale = 0x1p-10;
  PenaltyControl one(kFirst, {});
  PenaltyControl other({.load = kFirst.load * kScale, .time = 1}, {});
  for (int32_t window = 0; window < 200; ++window) {
    RecordWindow(one, {});
    RecordWindow(other, {});
    ASSERT_EQ(other.penalties().load, one.penalties().load * kScale);
  }
  EXPECT_GT(one.penalties().load, 0);
}

}  // namespace
}  // namespace vrp
