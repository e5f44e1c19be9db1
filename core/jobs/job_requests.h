// Changes the state of a training job when a user cancels, stops, pauses or resumes it.
#pragma once

#include "absl/status/status.h"
#include "core/jobs/job_change.h"

namespace vrp {

// Each function changes the record as the JobManager function of its name describes. A request that
// changes nothing is OK. kFailedPrecondition: the job's state does not allow it.
absl::Status RequestCancel(JobChange& change);
absl::Status RequestStop(JobChange& change);
absl::Status RequestPause(JobChange& change);
absl::Status RequestResume(JobChange& change);

}  // namespace vrp
