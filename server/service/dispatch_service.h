// Connects each RPC of DispatchService with its handler.
#pragma once

#include "server/service/dispatch_handler.h"
#include "server/service/rpc_service.h"
#include "server/service/service_context.h"
#include "vrp/v1/dispatch_service.grpc.pb.h"

namespace vrp {

class DispatchService final : public RpcService<v1::DispatchService> {
 public:
  // `handler` outlives the service.
  DispatchService(const ServiceContext& context, const DispatchHandler& handler);
};

}  // namespace vrp
