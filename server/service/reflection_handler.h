// Describes the RPCs to generic clients such as grpcurl.
#pragma once

#include "absl/status/status.h"
#include "grpc/reflection/v1alpha/reflection.pb.h"

namespace vrp {

// Returns the response, which may be an ErrorResponse.
::grpc::reflection::v1alpha::ServerReflectionResponse Reflect(
    const ::grpc::reflection::v1alpha::ServerReflectionRequest& request);

// Returns the response to an unreadable request.
::grpc::reflection::v1alpha::ServerReflectionResponse ReflectError(const absl::Status& status);

}  // namespace vrp
