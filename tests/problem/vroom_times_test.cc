// Tests the choice of times for routes whose order is given.
#include "core/problem/formats/vroom/vroom_times.h"

#include <tuple>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<double> Starts(const std::vector<VroomTimedStep>& steps) {
  const VroomTimes times = ChooseVroomTimes(steps);
  EXPECT_EQ(times.error, VroomTimesError::kNone);
  return times.starts;
}

TEST(VroomTimes, TradesLeadTimeForLessDelay) {
  // Each second before the shift opens at 100 saves a second of delay at two steps.
  EXPECT_THAT(Starts({{.windows = {{.open = 100}}},
                      {.travel = 20, .windows = {{.close = 90}}},
                      {.travel = 20, .windows = {{.close = 120}}}}),
              ElementsAre(70, 90, 110));
}

TEST(VroomTimes, LeavesAsLateAsTheWindowsAllowWithoutWaiting) {
  EXPECT_THAT(Starts({{}, {.travel = 20, .work = 5, .windows = {{100, 200}}}, {.travel = 10}}),
              ElementsAre(80, 100, 115));
}

TEST(VroomTimes, ChoosesTheNearestOfSeveralWindows) {
  EXPECT_THAT(Starts({{.earliest = 50, .latest = 50},
                      {.travel = 10, .latest = 62, .windows = {{0, 20}, {65, 70}}},
                      {.travel = 10}}),
              ElementsAre(50, 62, 72));
  EXPECT_EQ(TimeOutsideWindows({{0, 20}, {65, 70}}, 62), -3);
  EXPECT_EQ(TimeOutsideWindows({{0, 20}, {65, 70}}, 25), 5);
  EXPECT_EQ(TimeOutsideWindows({{0, 20}, {65, 70}}, 65), 0);
}

TEST(VroomTimes, PlacesBreaksAnywhereOnTheWay) {
  const auto starts = [](TimeWindow window) {
    return Starts({{.earliest = 0, .latest = 0},
                   {.is_break = true, .work = 10, .windows = {window}},
                   {.travel = 40},
                   {.travel = 5}});
  };
  EXPECT_THAT(starts({0, 5}), ElementsAre(0, 0, 50, 55));
  EXPECT_THAT(starts({25, 30}), ElementsAre(0, 25, 50, 55));
  EXPECT_THAT(starts({60, 70}), ElementsAre(0, 60, 70, 75));
}

TEST(VroomTimes, KeepsBoundsAtTheCostOfWindows) {
  EXPECT_THAT(Starts({{}, {.travel = 10, .earliest = 300, .windows = {{0, 50}}}, {.travel = 10}}),
              ElementsAre(290, 300, 310));
}

TEST(VroomTimes, ReportsBoundsThatNoTimesKeep) {
  const VroomTimes times = ChooseVroomTimes({{}, {.travel = 20, .latest = 10}, {}});
  EXPECT_EQ(times.error, VroomTimesError::kInfeasible);
  EXPECT_THAT(times.starts, IsEmpty());
}

TEST(VroomTimes, RefusesRoutesThatWouldTakeTooLong) {
  std::vector<VroomTimedStep> steps(20'000);
  for (size_t s = 1; s < steps.size(); ++s) {
    steps[s] = {.travel = 1 + static_cast<double>(s % 7), .windows = {{1000, 1000.0 + 3 * s}}};
  }
  EXPECT_EQ(ChooseVroomTimes(steps).error, VroomTimesError::kTooManySteps);
}

// The value that ChooseVroomTimes minimises; infinite if the starts are no schedule.
std::tuple<double, double, double> ValueOf(const std::vector<VroomTimedStep>& steps,
                                           const std::vector<double>& starts) {
  double outside = 0, sum = 0;
  size_t stop = 0;  // the last step that is not a break
  double work = 0;  // of that step and the breaks since
  for (size_t s = 0; s < steps.size(); ++s) {
    const VroomTimedStep& step = steps[s];
    const bool ordered = s == 0 || starts[s] >= starts[s - 1] + steps[s - 1].work;
    const bool driven = s == 0 || step.is_break || starts[s] >= starts[stop] + work + step.travel;
    if (!ordered || !driven || starts[s] < step.earliest || starts[s] > step.latest) {
      return {kNoLimit, 0, 0};
    }
    outside += std::abs(TimeOutsideWindows(step.windows, starts[s]));
    if (s > 0 && s + 1 < steps.size()) sum += starts[s];
    if (!step.is_break) {
      stop = s;
      work = 0;
    }
    work += step.work;
  }
  return {outside, starts.back() - starts.front(), sum};
}

TEST(VroomTimes, AreNoWorseThanAnyOtherTimes) {
  constexpr int kLast = 9;
  uint32_t random = 7;
  const auto draw = [&](uint32_t count) {
    random = random * 1664525 + 1013904223;
    return static_cast<double>((random >> 16) % count);
  };
  for (int round = 0; round < 100; ++round) {
    std::vector<VroomTimedStep> steps(5);
    for (size_t s = 0; s < steps.size(); ++s) {
      const bool inner = s > 0 && s + 1 < steps.size();
      steps[s].is_break = inner && draw(3) == 0;
      steps[s].travel = s == 0 || steps[s].is_break ? 0 : draw(4);
      steps[s].work = inner ? draw(3) : 0;
      if (draw(6) == 0) steps[s].earliest = draw(kLast);
      if (draw(6) == 0) steps[s].latest = draw(kLast);
      const double open = draw(6), close = open + draw(3), next = close + 1 + draw(3);
      if (draw(3) != 0) steps[s].windows = {{open, close}};
      if (draw(3) == 0) steps[s].windows = {{open, close}, {next, next + draw(3)}};
    }
    std::tuple<double, double, double> best = {kNoLimit, 0, 0};
    std::vector<double> starts(steps.size(), 0);
    for (bool more = true; more;) {
      best = std::min(best, ValueOf(steps, starts));
      more = false;
      for (double& start : starts) {
        if (more = start < kLast; more) {
          ++start;
          break;
        }
        start = 0;
      }
    }
    const VroomTimes times = ChooseVroomTimes(steps);
    if (times.error == VroomTimesError::kInfeasible) {
      EXPECT_EQ(std::get<0>(best), kNoLimit) << "round " << round;
    } else {
      EXPECT_LE(ValueOf(steps, times.starts), best) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace vrp
