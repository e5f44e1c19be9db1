// Logs job state changes.
#pragma once

#include "core/jobs/job.h"

namespace vrp {

// Logs the current state of the job. If the job failed, logs a warning with the error.
void LogJobState(const Job& job);

}  // namespace vrp
