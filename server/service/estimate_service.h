// Connects each RPC of EstimateService with its handler.
#pragma once

#include "server/service/estimate_handler.h"
#include "server/service/rpc_service.h"
#include "server/service/service_context.h"
#include "vrp/v1/estimate_service.grpc.pb.h"

namespace vrp {

class EstimateService final : public RpcService<v1::EstimateService> {
 public:
  // `handler` outlives the service.
  EstimateService(const ServiceContext& context, const EstimateHandler& handler)
      : RpcService(context) {
    Unary(handler, &EstimateHandler::EstimateCosts);
  }
};

}  // namespace vrp
