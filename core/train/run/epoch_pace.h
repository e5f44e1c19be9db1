// Mean durations of a run's steps and epochs.
#pragma once

#include <cstdint>
#include <limits>

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/train/run/trainer.h"

namespace vrp {

// A clock of steps and epochs. Not thread-safe.
class EpochPace {
 public:
  // Starts the clock before the run's first step. `whole`: whether that step is the first of an
  // epoch.
  void Begin(bool whole) {
    is_whole_epoch_ = whole;
    began_ = SteadyNow();
  }
  // Ends an epoch, including its validation.
  void EndEpoch(const TrainingTotals& totals) {
    const absl::Time now = SteadyNow();
    if (is_whole_epoch_) seconds_per_epoch_ = absl::ToDoubleSeconds(now - began_);
    is_whole_epoch_ = true;
    began_ = now;
    steps_before_ = totals.steps;
    seconds_before_ = totals.seconds;
  }

  // Returns the mean over the epoch's steps so far, in seconds; NaN before its first step.
  double SecondsPerStep(const TrainingTotals& totals) const {
    if (totals.steps == steps_before_) return kUnknown;
    return (totals.seconds - seconds_before_) / static_cast<double>(totals.steps - steps_before_);
  }
  // Returns the seconds of the last whole epoch; NaN before the first has ended.
  double seconds_per_epoch() const { return seconds_per_epoch_; }

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  bool is_whole_epoch_ = false;
  absl::Time began_;
  int64_t steps_before_ = 0;
  double seconds_before_ = 0;
  double seconds_per_epoch_ = kUnknown;
};

}  // namespace vrp
