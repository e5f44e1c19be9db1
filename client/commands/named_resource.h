// Calls RPCs that concern one resource: a job, a model, a dataset, matrices.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/commands/command.h"
#include "client/connection/rpc_client.h"

namespace vrp::client {

// Help texts of the argument NAME.
inline constexpr char kJobNameHelp[] = "Name the job: trainingJobs/ID or ID";
inline constexpr char kModelNameHelp[] =
    "Name the model: NAME, NAME@3, NAME@ALIAS or models/NAME/versions/3";

// Whether `text` begins with "datasets/" and is no path of an existing file.
bool IsDatasetName(const std::string& text);

// Prints that the resource was deleted and returns kExitDone.
ExitCode PrintDeleted(CommandContext& context, const std::string& name);

// Calls `method` with a request that holds only the resource's `name`. Returns the exit code of
// `use`, called with name and response, or of the error.
template <typename Stub, typename Request, typename Response, typename Use>
ExitCode CallByName(CommandContext& context, const absl::StatusOr<std::string>& name,
                    UnaryMethod<Stub, Request, Response> method, Use use,
                    absl::Duration timeout = kLookupTimeout) {
  if (!name.ok()) return context.Fail(name.status());
  Request request;
  request.set_name(*name);
  const absl::StatusOr<Response> response = context.client().Call(method, request, timeout);
  if (!response.ok()) return context.Fail(response.status(), *name);
  return use(*name, *response);
}

// Deletes the resource with `method` and prints that it was deleted.
template <typename Stub, typename Request, typename Response>
ExitCode DeleteByName(CommandContext& context, const absl::StatusOr<std::string>& name,
                      UnaryMethod<Stub, Request, Response> method) {
  return CallByName(context, name, method, [&context](const std::string& deleted, const Response&) {
    return PrintDeleted(context, deleted);
  });
}

}  // namespace vrp::client
