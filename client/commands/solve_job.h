// `solve --job`.
#pragma once

#include <string>

#include "client/commands/answer.h"
#include "client/commands/command.h"
#include "vrp/v1/solve_job.pb.h"

namespace vrp::client {

struct SolveJobFlags {
  std::string where;       // the instance's file, for errors
  std::string request_id;  // empty for a new one
  bool detach = false;
  AnswerFiles files;
};

// Creates the job and follows it, or with `detach` only prints its name.
ExitCode RunSolveJob(CommandContext& context, const v1::SolveRequest& request,
                     const SolveJobFlags& flags);

}  // namespace vrp::client
