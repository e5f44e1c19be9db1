// The command `solve --job`.
#pragma once

#include <string>

#include "client/commands/command.h"
#include "client/commands/solve_output.h"
#include "vrp/v1/solve_job.pb.h"

namespace vrp::client {

struct SolveJobFlags {
  std::string where;       // the instance's file, for errors
  std::string request_id;  // empty: generate an id
  bool detach = false;
  PlanFiles files;
};

// Creates the job and follows it. With `detach`, prints only the job's name.
ExitCode RunSolveJob(CommandContext& context, const v1::SolveRequest& request,
                     const SolveJobFlags& flags);

}  // namespace vrp::client
