// What becomes of jobs, in the daemon's log.
#pragma once

#include "core/jobs/job.h"

namespace vrp {

// A line for the state that the job has now; a warning, with the reason, where it failed.
void LogJobState(const Job& job);

}  // namespace vrp
