// Finds the RPC of an HTTP path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/descriptor.h"

namespace vrp {

// An RPC of vrp.v1 and its path.
struct HttpMethod {
  const google::protobuf::MethodDescriptor* rpc = nullptr;
  std::string path;       // "/v1/createTrainingJob"
  std::string grpc_path;  // "/vrp.v1.TrainingService/CreateTrainingJob"
  // Whether GET with query parameters calls it too. True if it needs only the role read and its
  // request is one message.
  bool allows_get = false;
};

// Returns all RPCs of vrp.v1, ordered by path. The path is "/v1/" and the RPC's name, which begins
// in lower case. Thread-safe.
const std::vector<HttpMethod>& HttpMethods();

// Returns the RPC of `path`, or null if there is none. Thread-safe.
const HttpMethod* FindHttpMethod(std::string_view path);

}  // namespace vrp
