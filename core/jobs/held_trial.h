// Trials of a sweep that wait, because the sweep compares them before the best ones go on.
#pragma once

#include "core/jobs/job.h"

namespace vrp {

// Whether a trial has trained up to its pause_epoch.
inline bool HasReachedPause(const Job& job) {
  return job.spec.pause_epoch > 0 && job.progress.has_value() &&
         job.progress->epoch >= job.spec.pause_epoch;
}

// Whether a trial waits for its sweep. Other paused jobs were paused by a user.
inline bool IsHeld(const Job& job) {
  return job.state == JobState::kPaused && !job.stop_requested && HasReachedPause(job);
}

}  // namespace vrp
