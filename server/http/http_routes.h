// Finds the RPC of an HTTP request by its method and path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/descriptor.h"

namespace vrp {

// A method and a path of an RPC, from its option (rpc).http, whose comment describes the form.
struct HttpRoute {
  const google::protobuf::MethodDescriptor* rpc = nullptr;
  std::string grpc_path;  // "/vrp.v1.TrainingService/CancelTrainingJob"
  std::string verb;       // "POST"
  std::string pattern;    // "/v1/{name=trainingJobs/*}:cancel"

  // The pattern in parts: here {"v1", "trainingJobs", "*"} and "cancel".
  std::vector<std::string> segments;
  std::string action;
  // The field that gets segments[variable_begin..], here `name`. Null if the pattern has no
  // variable.
  const google::protobuf::FieldDescriptor* variable = nullptr;
  size_t variable_begin = 0;
  size_t variable_end = 0;

  // Whether fields come from the query, not from a body. True for GET and DELETE.
  bool takes_query() const { return verb == "GET" || verb == "DELETE"; }
};

// Parses `option`, such as "POST /v1/{name=trainingJobs/*}:cancel". Returns kInvalidArgument for
// another form, an unknown method and a variable that is not a text field of the request.
absl::StatusOr<HttpRoute> ParseHttpRoute(const google::protobuf::MethodDescriptor& rpc,
                                         std::string_view option);

// Returns the routes of all RPCs of vrp.v1. Thread-safe.
const std::vector<HttpRoute>& HttpRoutes();

// The route of a request.
struct HttpRouteMatch {
  const HttpRoute* route = nullptr;  // null if no route has the path, or none has the method
  std::string variable;              // value of route->variable
  std::string allowed;               // methods of the path, such as "GET, DELETE"; empty: none
};

// Returns the route of `routes` for a request. Escapes such as %3A mean the character itself.
// Returns kInvalidArgument for broken escapes and segments that contain a slash or unprintable
// characters.
absl::StatusOr<HttpRouteMatch> FindHttpRoute(const std::vector<HttpRoute>& routes,
                                             std::string_view verb, std::string_view path);

}  // namespace vrp
