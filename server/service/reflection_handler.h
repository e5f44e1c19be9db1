// Describes the RPCs to generic clients such as grpcurl.
#pragma once

#include "absl/status/status.h"
#include "grpc/reflection/v1alpha/reflection.pb.h"

namespace vrp {

// Returns the response, which may be an ErrorResponse.
::grpc::reflection::v1alpha::ServerReflectionResponse Reflect(
    const ::grpc::reflection::v1alpha::ServerReflectionRequest& request);

// Returns an ErrorResponse with the code and message of `status`.
::grpc::reflection::v1alpha::ServerReflectionResponse ReflectError(const absl::Status& status);

}  // namespace vrp
