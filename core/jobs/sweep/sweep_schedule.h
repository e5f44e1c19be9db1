// Decides what a sweep does next. Pure: no clock, no store, no threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/jobs/job.h"

namespace vrp {

// The shape of a sweep.
struct SweepShape {
  int32_t trials = 0;
  std::vector<int64_t> selections;  // epochs after which only the best trials go on, ascending
  int32_t factor = 1;               // 1 of this number of trials goes on
  int32_t at_once = 1;              // maximum number of trials that wait in the queue or run
};

// The status of a trial, as far as the schedule needs it.
struct TrialStatus {
  bool submitted = false;
  JobState state = JobState::kQueued;
  bool started = false;     // whether the job has run
  bool ending = false;      // whether the job was asked to end with a model
  bool held = false;        // whether the job waits for a selection; see IsHeld
  int64_t pause_epoch = 0;  // epoch after which the job waits; 0: none
  double cost = std::numeric_limits<double>::infinity();  // lowest validation cost so far
};

// Returns the status of a trial's job.
TrialStatus StatusOfTrial(const Job& job);

// The end to which the schedule steps, as requested by the user.
enum class SweepGoal {
  kRun,
  kEnd,    // end with the best trial so far
  kPause,  // stop the running trials with a checkpoint
};

// The next action of a sweep.
struct SweepStep {
  enum class Kind {
    kSubmit,    // queue `trial`, which waits after `pause_epoch`
    kContinue,  // let `trial`, which waits for a selection, train up to `pause_epoch`
    kDrop,      // cancel `trial`
    kStop,      // end `trial` with its model
    kPause,     // pause `trial`
    kWait,      // wait until a trial changes; `trial` is the first that runs or waits to run
    kPaused,    // the sweep is paused
    kFinish,    // all trials have ended; `trial` is the best one
    kNoModel,   // all trials have ended, without a model
  };
  Kind kind = Kind::kWait;
  size_t trial = 0;  // counted from 0
  int64_t pause_epoch = 0;

  bool operator==(const SweepStep&) const = default;
};

// Returns the next step. `trials` has one status per trial. Of trials with equal costs, the first
// is the better one.
SweepStep NextStep(const SweepShape& shape, std::span<const TrialStatus> trials, SweepGoal goal);

// Returns the trial with a model whose cost is lowest; nullopt if there is none.
std::optional<size_t> BestTrial(std::span<const TrialStatus> trials);

}  // namespace vrp
