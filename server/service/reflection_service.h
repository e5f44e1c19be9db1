// The service grpc.reflection. gRPC's own gives each stream a thread, of which there is no bound,
// and unpacks whatever comes, though 64 MiB of fields that it does not know take near a gigabyte
// then.
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
