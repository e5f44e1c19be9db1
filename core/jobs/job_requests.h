// Changes the state of a training job when a user cancels, stops, pauses or resumes it.
#pragma once

#include "absl/status/status.h"
#include "core/jobs/job_change.h"

namespace vrp {

// Each function changes the record as JobManager::Cancel, Stop, Pause or Resume describes. It
// returns OK if the request changes nothing, and kFailedPrecondition if the job's state does not
// allow the request.
absl::Status RequestCancel(JobChange& change);
absl::Status RequestStop(JobChange& change);
absl::Status RequestPause(JobChange& change);
absl::Status RequestResume(JobChange& change);

}  // namespace vrp
