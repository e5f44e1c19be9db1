// Describes errors as HTTP responses.
#pragma once

#include <string>

#include "grpcpp/support/status.h"

namespace vrp {

// An error as clients get it.
struct HttpError {
  int status = 500;
  // {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": ..., "details": [...]}}. The
  // details are those of gRPC, in protobuf's JSON form.
  std::string json;
  int retry_after_s = 0;  // from google.rpc.RetryInfo, rounded up, at most 3600; 0 if there is none
};

// Returns the HTTP status that google.rpc.Code names for a gRPC code.
int HttpStatusOf(grpc::StatusCode code);

// Returns the error for `status`, which is not OK. If `http_status` is not 0, it replaces the
// status of the code.
HttpError ErrorOf(const grpc::Status& status, int http_status = 0);

}  // namespace vrp
