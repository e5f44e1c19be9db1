#include "client/connection/model_kind.h"

#include "absl/strings/str_cat.h"
#include "vrp/v1/model_service.grpc.pb.h"

namespace vrp::client {

std::string ArchitectureOf(RpcClient& client, const std::string& model) {
  v1::GetModelRequest request;
  request.set_name(model);
  const auto found = client.Call(&v1::ModelService::Stub::GetModel, request);
  return found.ok() ? found->architecture() : "";
}

std::string UseLine(RpcClient& client, const std::string& model) {
  const std::string architecture = ArchitectureOf(client, model);
  if (architecture == "habits") {
    return absl::StrCat("solve as your drivers drive: vrpctl solve FILE --model ", model,
                        " --habit-weight 0.3");
  }
  if (architecture == "dispatch") {
    return absl::StrCat("dispatch with it: vrpctl dispatch simulate FILE --policy model --model ",
                        model);
  }
  if (architecture == "estimate") {
    return absl::StrCat("estimate costs with it: vrpctl estimate FILE --model ", model);
  }
  return absl::StrCat("solve with it: vrpctl solve FILE --strategy seeded --model ", model);
}

}  // namespace vrp::client
