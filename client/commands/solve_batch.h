// Runs `solve --answers`.
#pragma once

#include "client/commands/command.h"
#include "client/commands/solve_flags.h"
#include "vrp/v1/solve.pb.h"

namespace vrp::client {

// Solves the files' instances on all daemons of the context, and prints a summary.
ExitCode RunSolveBatch(CommandContext& context, const SolveFlags& flags, v1::SolveRequest request);

}  // namespace vrp::client
