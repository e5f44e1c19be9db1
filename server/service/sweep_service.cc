#include "server/service/sweep_service.h"

#include "server/service/heartbeat.h"

namespace vrp {

SweepService::SweepService(const ServiceContext& context, const SweepHandler& handler)
    : RpcService(context) {
  Unary(handler, &SweepHandler::Create);
  Unary(handler, &SweepHandler::Get);
  Unary(handler, &SweepHandler::List);
  Unary(handler, &SweepHandler::Stop);
  Unary(handler, &SweepHandler::Pause);
  Unary(handler, &SweepHandler::Resume);
  Unary(handler, &SweepHandler::Delete);
  Stream(handler, &SweepHandler::Watch,
         [&handler, &clock = context.clock](const v1::WatchSweepRequest& request) {
           return HeartbeatOf<v1::WatchSweepResponse>(
               clock, [&handler, name = request.name()] { return handler.QueuePosition(name); });
         });
}

}  // namespace vrp
