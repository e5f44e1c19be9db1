// Helpers shared by `dispatch simulate` and `dispatch simulations`.
#pragma once

#include <string>

#include "client/commands/command.h"
#include "client/connection/job_watcher.h"

namespace vrp::client {

// The output of FollowSimulation.
struct SimulationOutput {
  std::string plot = {};   // file for the plot of the gaps; empty: none
  bool only_days = false;  // whether JSON output is a line per day and policy, not per event
};

// Prints the events of a simulation until it ends: with a bar on a terminal, otherwise one line per
// event. Then prints the summary, except in JSON, and writes the plot. Returns kExitFailed for
// FAILED and CANCELLED. Ctrl-C leaves the simulation running, prints how to watch it again and how
// to stop it, and returns kExitInterrupted.
ExitCode FollowSimulation(CommandContext& context, const WatchOptions& options,
                          const SimulationOutput& output);

}  // namespace vrp::client
