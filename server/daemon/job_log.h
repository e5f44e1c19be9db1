// Logs job state changes.
#pragma once

#include "core/jobs/job.h"

namespace vrp {

// Logs the current state of the job: a warning with the error if it failed.
void LogJobState(const Job& job);

}  // namespace vrp
