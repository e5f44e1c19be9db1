// Helpers shared by `solve --job` and `solve-jobs`.
#pragma once

#include "absl/time/time.h"
#include "client/commands/answer.h"
#include "client/commands/command.h"
#include "client/connection/job_watcher.h"

namespace vrp::client {

// Prints the job's events, one per line, until the job ends. Then prints its answer as `solve` does
// (JSON has it as an event) and writes `files`. Returns the exit code of `solve`; kExitFailed for
// FAILED and CANCELLED. Ctrl-C leaves the job running and prints how to watch it again and how to
// stop it.
ExitCode FollowSolveJob(CommandContext& context, const WatchOptions& options,
                        const AnswerFiles& files);

// Prints the answer of an ended job (JSON has it elsewhere), writes its files and returns the exit
// code.
ExitCode CloseAnswer(CommandContext& context, const AnswerFiles& files,
                     const v1::SolveResponse& answer);

}  // namespace vrp::client
