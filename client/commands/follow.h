// Helpers shared by `train` and `jobs`.
#pragma once

#include <string>

#include "client/commands/command.h"
#include "client/connection/job_watcher.h"

namespace vrp::client {

// Prints the job's events in the chosen output form until the job ends. Returns kExitDone for
// SUCCEEDED, kExitFailed for FAILED and CANCELLED, and otherwise the code of the error. Ctrl-C
// leaves the job running, prints how to watch it again and returns kExitInterrupted.
ExitCode FollowJob(CommandContext& context, const WatchOptions& options);

// Prints the name and state of the job, or the job as JSON. Returns kExitDone.
ExitCode PrintJobState(CommandContext& context, const v1::TrainingJob& job);

}  // namespace vrp::client
