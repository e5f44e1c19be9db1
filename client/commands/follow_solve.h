// Helpers shared by `solve --job` and `solve-jobs`.
#pragma once

#include "absl/time/time.h"
#include "client/commands/command.h"
#include "client/commands/solve_output.h"
#include "client/connection/job_watcher.h"

namespace vrp::client {

// Prints the job's events, one per line, until the job ends. Then prints the response as `solve`
// does, except in JSON, where it is one of the events, and writes `files`. Returns the exit code of
// `solve`; kExitFailed for FAILED and CANCELLED; kExitDone if `options` skips the response. Ctrl-C
// leaves the job running, prints how to watch it again and how to stop it, and returns
// kExitInterrupted.
ExitCode FollowSolveJob(CommandContext& context, const WatchOptions& options,
                        const PlanFiles& files);

// Prints the response of an ended job. Prints nothing with JSON output, since the caller has
// printed the response as part of the job or its events. Writes `files` and returns the exit code
// of `solve`.
ExitCode PrintAndWriteResponse(CommandContext& context, const PlanFiles& files,
                               const v1::SolveResponse& response);

}  // namespace vrp::client
