#include "core/jobs/job_requests.h"

#include "core/base/text.h"
#include "core/jobs/held_trial.h"

namespace vrp {

absl::Status RequestCancel(JobChange& change) {
  switch (change.state()) {
    case JobState::kQueued:
    case JobState::kPaused:
      return change.MoveTo(JobState::kCancelled);
    case JobState::kCancelling:
    case JobState::kCancelled:
      return absl::OkStatus();
    default:
      return change.MoveTo(JobState::kCancelling);
  }
}

absl::Status RequestStop(JobChange& change) {
  const Job& job = change.record().job;
  switch (change.state()) {
    case JobState::kQueued:
    case JobState::kPaused:
      if (job.attempt == 0) {
        change.RecordLog("stopped before it ran: there is no model");
        return change.MoveTo(JobState::kCancelled);
      }
      if (job.stop_requested) return absl::OkStatus();
      change.RequestStop("stop requested: the job is next in the queue and ends with a model");
      return job.state == JobState::kPaused ? change.MoveTo(JobState::kQueued) : absl::OkStatus();
    case JobState::kStopping:
    case JobState::kSucceeded:
    case JobState::kCancelled:
      return absl::OkStatus();
    case JobState::kPausing:
      return absl::FailedPreconditionError(
          Concat(ResourceName(job), ": is PAUSING; stop it once it is PAUSED"));
    default:
      change.RequestStop("stop requested: the job ends with a model after its current step");
      return change.MoveTo(JobState::kStopping);
  }
}

absl::Status RequestPause(JobChange& change) {
  switch (change.state()) {
    case JobState::kQueued:
      if (change.record().job.stop_requested) {
        return absl::FailedPreconditionError(
            Concat(ResourceName(change.record().job),
                   ": is being stopped and ends with a model once it runs; cancel the job to end "
                   "it without one"));
      }
      return change.MoveTo(JobState::kPaused);
    case JobState::kPausing:
    case JobState::kPaused:
      return absl::OkStatus();
    default:
      return change.MoveTo(JobState::kPausing);
  }
}

absl::Status RequestResume(JobChange& change) {
  switch (change.state()) {
    case JobState::kQueued:
    case JobState::kPreparing:
    case JobState::kRunning:
      return absl::OkStatus();
    case JobState::kPausing:
      return absl::FailedPreconditionError(
          Concat(ResourceName(change.record().job), ": is PAUSING; resume it once it is PAUSED"));
    case JobState::kStopping:
      return absl::FailedPreconditionError(
          Concat(ResourceName(change.record().job),
                 ": is STOPPING: it ends with a model after its current step"));
    default:
      if (IsHeld(change.record().job)) {
        return absl::FailedPreconditionError(Concat(
            ResourceName(change.record().job), ": waits for ", change.record().job.spec.sweep,
            ", which compares its trials after this epoch and continues the best ones"));
      }
      return change.MoveTo(JobState::kQueued);
  }
}

}  // namespace vrp
