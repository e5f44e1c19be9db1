// What `solve --job` and `solve-jobs watch` share.
#pragma once

#include "absl/time/time.h"
#include "client/commands/answer.h"
#include "client/commands/command.h"
#include "client/connection/job_watcher.h"

namespace vrp::client {

// Follows the job in the output that was asked for, a line an event, to its answer, which is
// printed as `solve` prints it (as JSON it stands in its event) and written to `files`. kExitNoPlan
// as of `solve`; failed for FAILED and CANCELLED; Ctrl-C leaves the job alone and says how to look
// again and how to stop it.
ExitCode FollowSolveJob(CommandContext& context, const WatchOptions& options,
                        const AnswerFiles& files);

// The answer of an ended job: prints it (as JSON it stands elsewhere), writes its files, gives the
// exit code.
ExitCode CloseAnswer(CommandContext& context, const AnswerFiles& files,
                     const v1::SolveResponse& answer);

}  // namespace vrp::client
