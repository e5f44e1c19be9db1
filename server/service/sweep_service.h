// Connects each RPC of SweepService with its handler.
#pragma once

#include "server/service/rpc_service.h"
#include "server/service/service_context.h"
#include "server/service/sweep_handler.h"
#include "vrp/v1/sweep_service.grpc.pb.h"

namespace vrp {

class SweepService final : public RpcService<v1::SweepService> {
 public:
  SweepService(const ServiceContext& context, const SweepHandler& handler);
};

}  // namespace vrp
