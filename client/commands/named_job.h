// What the commands that are about one training job share.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/commands/command.h"
#include "client/support/flags.h"

namespace vrp::client {

// A command under `jobs` that takes the name of one job.
CLI::App* AddNamedJob(CLI::App& jobs, std::string_view verb, std::string_view description,
                      std::string_view examples, std::string& name);

// Asks the daemon by `method` with a request that has nothing but the job's name, and hands its
// answer to `print`, which gets the job's resource name too.
template <typename Request, typename Response, typename Print>
ExitCode CallForJob(CommandContext& context, const std::string& name,
                    absl::StatusOr<Response> (RpcClient::*method)(const Request&), Print print) {
  const absl::StatusOr<std::string> resource = JobResourceName(name);
  if (!resource.ok()) return context.Fail(resource.status());
  Request request;
  request.set_name(*resource);
  const absl::StatusOr<Response> response = (context.client().*method)(request);
  if (!response.ok()) return context.Fail(response.status(), *resource);
  print(*resource, *response);
  return kExitDone;
}

}  // namespace vrp::client
