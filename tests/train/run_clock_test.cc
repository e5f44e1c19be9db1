#include "core/train/run/run_clock.h"

#include <atomic>
#include <thread>

#include "absl/time/clock.h"
#include "core/base/steady_time.h"
#include "core/train/run/epoch_pace.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

double WallSeconds(const RunPhaseTimes& times, RunPhase phase) {
  return times[static_cast<size_t>(phase)].wall_seconds;
}

double ThreadSeconds(const RunPhaseTimes& times, RunPhase phase) {
  return times[static_cast<size_t>(phase)].thread_seconds;
}

double SumOfWallSeconds(const RunPhaseTimes& times) {
  double sum = 0;
  for (const RunPhaseTime& time : times) sum += time.wall_seconds;
  return sum;
}

void Sleep(absl::Duration time) { absl::SleepFor(time); }

TEST(RunClock, AttributesEachMomentToExactlyOnePhase) {
  const CpuPool pool(1);
  RunClock clock(pool);
  const absl::Time start = SteadyNow();
  {
    const RunClock::Scope steps(clock, RunPhase::kSteps);
    Sleep(absl::Milliseconds(2));
    {
      const RunClock::Scope data(clock, RunPhase::kData);
      Sleep(absl::Milliseconds(2));
    }
  }
  Sleep(absl::Milliseconds(2));
  const double min_seconds = absl::ToDoubleSeconds(SteadyNow() - start);
  const RunPhaseTimes times = clock.Read();
  for (const RunPhase phase : {RunPhase::kSteps, RunPhase::kData, RunPhase::kOther}) {
    EXPECT_GE(WallSeconds(times, phase), 0.002) << kRunPhaseNames[static_cast<size_t>(phase)];
  }
  EXPECT_EQ(WallSeconds(times, RunPhase::kValidation), 0);
  EXPECT_GE(SumOfWallSeconds(times), min_seconds);
  EXPECT_LE(WallSeconds(times, RunPhase::kSteps), SumOfWallSeconds(times) - 0.004)
      << "time in an inner scope must not count";
}

TEST(RunClock, RestoresThePhaseBeforeAScope) {
  const CpuPool pool(1);
  RunClock clock(pool);
  const RunClock::Scope steps(clock, RunPhase::kSteps);
  { const RunClock::Scope data(clock, RunPhase::kData); }
  const double before = WallSeconds(clock.Read(), RunPhase::kSteps);
  Sleep(absl::Milliseconds(2));
  EXPECT_GE(WallSeconds(clock.Read(), RunPhase::kSteps), before + 0.002);
}

TEST(RunClock, CountsTheTimeOfAllThreads) {
  CpuPool pool(2);
  RunClock clock(pool);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> caller_started = false;
  std::atomic<bool> helper_done = false;
  {
    const RunClock::Scope steps(clock, RunPhase::kSteps);
    pool.ParallelFor(2, [&](int64_t) {
      if (std::this_thread::get_id() == caller) {
        caller_started = true;
        while (!helper_done) std::this_thread::yield();
      } else {
        while (!caller_started) std::this_thread::yield();
        Sleep(absl::Milliseconds(5));
        helper_done = true;
      }
    });
  }
  clock.AddThreadSeconds(RunPhase::kData, 3);
  const RunPhaseTimes times = clock.Read();
  EXPECT_GT(ThreadSeconds(times, RunPhase::kSteps), WallSeconds(times, RunPhase::kSteps));
  EXPECT_LE(ThreadSeconds(times, RunPhase::kSteps), 2 * WallSeconds(times, RunPhase::kSteps));
  EXPECT_EQ(ThreadSeconds(times, RunPhase::kData), 3);
}

TEST(EpochPace, IsTheMeanOfTheEpochsOwnSteps) {
  EpochPace pace;
  pace.Begin(/*whole=*/true);
  TrainingTotals totals;
  EXPECT_TRUE(std::isnan(pace.SecondsPerStep(totals)));
  totals = {.steps = 4, .seconds = 2};
  EXPECT_EQ(pace.SecondsPerStep(totals), 0.5);
  EXPECT_TRUE(std::isnan(pace.seconds_per_epoch()));
  pace.EndEpoch(totals);
  EXPECT_GE(pace.seconds_per_epoch(), 0);
  totals = {.steps = 6, .seconds = 8};
  EXPECT_EQ(pace.SecondsPerStep(totals), 3);
}

TEST(EpochPace, ReportsNoPartialEpoch) {
  EpochPace pace;
  pace.Begin(/*whole=*/false);
  pace.EndEpoch({.steps = 2, .seconds = 1});
  EXPECT_TRUE(std::isnan(pace.seconds_per_epoch()));
  pace.EndEpoch({.steps = 4, .seconds = 2});
  EXPECT_FALSE(std::isnan(pace.seconds_per_epoch()));
}

}  // namespace
}  // namespace vrp
