// What `train` and `jobs watch` share.
#pragma once

#include <string>

#include "client/commands/command.h"
#include "client/connection/job_watcher.h"

namespace vrp::client {

// Follows the job in the output that was asked for. Done for SUCCEEDED, failed for FAILED and
// CANCELLED; Ctrl-C leaves the job alone and says how to come back.
ExitCode FollowJob(CommandContext& context, const WatchOptions& options);

}  // namespace vrp::client
