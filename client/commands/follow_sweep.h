// Helpers shared by `train --sweep` and `sweeps`.
#pragma once

#include "client/commands/command.h"
#include "client/connection/job_watcher.h"

namespace vrp::client {

// Prints the events of a sweep until it ends: with a bar on a terminal, otherwise one line per
// event. Then prints the table of its trials, except in JSON. Returns kExitFailed for FAILED and
// CANCELLED. Ctrl-C leaves the sweep running, prints how to watch it again and how to stop it, and
// returns kExitInterrupted.
ExitCode FollowSweep(CommandContext& context, const WatchOptions& options);

}  // namespace vrp::client
