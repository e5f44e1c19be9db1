// What grpc.reflection tells generic clients, as grpcurl, of the daemon's RPCs.
#pragma once

#include "absl/status/status.h"
#include "grpc/reflection/v1alpha/reflection.pb.h"

namespace vrp {

// What it asks for, or an ErrorResponse: cannot fail.
::grpc::reflection::v1alpha::ServerReflectionResponse Reflect(
    const ::grpc::reflection::v1alpha::ServerReflectionRequest& request);

// To a request that could not be read.
::grpc::reflection::v1alpha::ServerReflectionResponse ReflectError(const absl::Status& status);

}  // namespace vrp
