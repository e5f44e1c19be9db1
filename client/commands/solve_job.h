// Implements the command `solve --job`.
#pragma once

#include <string>

#include "client/commands/command.h"
#include "client/commands/solve_output.h"
#include "vrp/v1/solve_job.pb.h"

namespace vrp::client {

// The flags of `solve --job`.
struct SolveJobFlags {
  std::string where;       // the instance's file, for errors
  std::string request_id;  // empty: generate an id
  bool detach = false;     // whether to return as soon as the job is created
  PlanFiles files;
};

// Creates the job and follows it as FollowSolveJob does. With `detach`, prints the new job and
// returns kExitDone at once.
ExitCode RunSolveJob(CommandContext& context, const v1::SolveRequest& request,
                     const SolveJobFlags& flags);

}  // namespace vrp::client
