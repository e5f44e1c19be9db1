#include "core/base/stop.h"

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/stop_status.h"
#include "gtest/gtest.h"
#include "tests/testing/manual_clock.h"

namespace vrp {
namespace {

TEST(StopConditionTest, NeverStopsWithoutADeadlineOrAFlag) {
  EXPECT_EQ(StopCondition().Check(), StopReason::kNone);
}

TEST(StopConditionTest, StopsAtTheDeadlineAndOnCancel) {
  const auto cancel = std::make_shared<CancelFlag>();
  EXPECT_EQ(StopCondition(absl::InfinitePast(), cancel).Check(), StopReason::kDeadline);
  const StopCondition stop(absl::InfiniteFuture(), cancel);
  EXPECT_FALSE(stop.ShouldStop());
  cancel->Cancel();
  EXPECT_EQ(stop.Check(), StopReason::kCancelled);
}

TEST(StopConditionTest, SoonerKeepsTheEarlierDeadlineAndTheCancelFlag) {
  const auto cancel = std::make_shared<CancelFlag>();
  const StopCondition stop(absl::FromUnixSeconds(100), cancel);
  EXPECT_EQ(stop.Sooner(absl::FromUnixSeconds(50)).deadline(), absl::FromUnixSeconds(50));
  EXPECT_EQ(stop.Sooner(absl::FromUnixSeconds(200)).deadline(), absl::FromUnixSeconds(100));
  cancel->Cancel();
  EXPECT_EQ(stop.Sooner(absl::FromUnixSeconds(50)).Check(), StopReason::kCancelled);
}

TEST(StopStatusTest, DescribesADeadlineForAnyWork) {
  const absl::Status status = StopStatus(StopReason::kDeadline);
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_EQ(status.message(), "the deadline passed before the work was complete");
}

TEST(MovableDeadlineTest, EndsEachConditionThatPollsIt) {
  const auto movable = std::make_shared<MovableDeadline>(absl::InfiniteFuture());
  const StopCondition stop =
      StopCondition(SteadyNow() + absl::Hours(1), nullptr).WithMovableDeadline(movable);
  const StopCondition part = stop.Sooner(SteadyNow() + absl::Minutes(1));
  EXPECT_FALSE(stop.ShouldStop());
  movable->EndNow();
  EXPECT_EQ(stop.Check(), StopReason::kDeadline);
  EXPECT_EQ(part.Check(), StopReason::kDeadline);
  EXPECT_LE(stop.deadline(), SteadyNow());
}

TEST(MovableDeadlineTest, ExtendNeverShortens) {
  const absl::Time hour = SteadyNow() + absl::Hours(1);
  const auto movable = std::make_shared<MovableDeadline>(hour);
  const StopCondition stop = StopCondition().WithMovableDeadline(movable);
  movable->Extend(hour + absl::Seconds(1));
  EXPECT_EQ(stop.deadline(), absl::FromUnixNanos(absl::ToUnixNanos(hour + absl::Seconds(1))));
  movable->Extend(hour - absl::Seconds(1));
  EXPECT_EQ(stop.deadline(), absl::FromUnixNanos(absl::ToUnixNanos(hour + absl::Seconds(1))));
  movable->Extend(absl::InfiniteFuture());
  EXPECT_EQ(stop.deadline(), absl::InfiniteFuture());
}

TEST(MovableDeadlineTest, DoesNotMoveAfterItHasPassed) {
  const absl::Time past = absl::FromUnixSeconds(100);
  MovableDeadline movable(past);
  movable.Extend(absl::InfiniteFuture());
  movable.EndNow();
  EXPECT_EQ(movable.time(), past);
}

TEST(ManualClockTest, AdvancesOnlyWhenAsked) {
  test::ManualClock clock(absl::FromUnixSeconds(5));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(5));
  clock.Advance(absl::Seconds(2));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(7));
}

absl::StatusOr<int> Half(int value) {
  if (value % 2 != 0) return absl::InvalidArgumentError("odd");
  return value / 2;
}

absl::StatusOr<int> Quarter(int value) {
  VRP_ASSIGN_OR_RETURN(const int half, Half(value));
  VRP_RETURN_IF_ERROR(half < 0 ? absl::OutOfRangeError("negative") : absl::OkStatus());
  return Half(half);
}

TEST(StatusMacrosTest, ReturnTheFirstErrorOrTheValue) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(3).status().message(), "odd");
  EXPECT_EQ(Quarter(-8).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(CancelFlagTest, FollowsItsParentAndReportsIfOnlyTheParentIsCancelled) {
  const auto parent = std::make_shared<CancelFlag>();
  CancelFlag flag(parent);
  EXPECT_FALSE(flag.cancelled());
  EXPECT_FALSE(flag.cancelled_by_parent_only());
  parent->Cancel();
  EXPECT_TRUE(flag.cancelled());
  EXPECT_TRUE(flag.cancelled_by_parent_only());
  flag.Cancel();
  EXPECT_TRUE(flag.cancelled());
  EXPECT_FALSE(flag.cancelled_by_parent_only());
}

}  // namespace
}  // namespace vrp
