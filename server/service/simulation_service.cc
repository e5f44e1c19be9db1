#include "server/service/simulation_service.h"

#include "server/service/heartbeat.h"

namespace vrp {

SimulationService::SimulationService(const ServiceContext& context,
                                     const SimulationHandler& handler)
    : RpcService(context) {
  Unary(handler, &SimulationHandler::Create);
  Unary(handler, &SimulationHandler::Get);
  Unary(handler, &SimulationHandler::List);
  Unary(handler, &SimulationHandler::Stop);
  Unary(handler, &SimulationHandler::Delete);
  Stream(handler, &SimulationHandler::Watch,
         [&handler, &clock = context.clock](const v1::WatchSimulationRequest& request) {
           return HeartbeatOf<v1::WatchSimulationResponse>(
               clock, [&handler, name = request.name()] { return handler.QueuePosition(name); });
         });
}

}  // namespace vrp
