// Implements the service grpc.reflection.v1alpha.
//
// gRPC's own service starts an unbounded number of threads, one for each stream. It also unpacks
// every message, and 64 MiB of unknown fields take nearly a gigabyte.
#pragma once

#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "server/service/receive.h"
#include "server/service/service_context.h"

namespace vrp {

class ReflectionService final
    : public ::grpc::reflection::v1alpha::ServerReflection::CallbackService {
 public:
  explicit ReflectionService(const ServiceContext& context);
};

}  // namespace vrp
