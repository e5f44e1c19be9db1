// Connects each RPC of SimulationService with its handler.
#pragma once

#include "server/service/rpc_service.h"
#include "server/service/service_context.h"
#include "server/service/simulation_handler.h"
#include "vrp/v1/simulation_service.grpc.pb.h"

namespace vrp {

class SimulationService final : public RpcService<v1::SimulationService> {
 public:
  SimulationService(const ServiceContext& context, const SimulationHandler& handler);
};

}  // namespace vrp
