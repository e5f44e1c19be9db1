// Trials of a sweep that wait, because the sweep compares them before the best ones go on.
#pragma once

#include <cstdint>

#include "core/jobs/job.h"

namespace vrp {

// Whether a trial has trained up to the end of its pause_epoch.
inline bool HasReachedPause(const Job& job) {
  if (job.spec.pause_epoch == 0 || !job.progress.has_value()) return false;
  const int64_t ended = job.progress->epoch - (job.progress->end_of_epoch ? 0 : 1);
  return ended >= job.spec.pause_epoch;
}

// Whether a trial waits for its sweep. Other paused jobs were paused by a user.
inline bool IsHeld(const Job& job) {
  return job.state == JobState::kPaused && !job.stop_requested && HasReachedPause(job);
}

}  // namespace vrp
