#include "server/service/dispatch_service.h"

#include "server/service/guarded.h"

namespace vrp {

DispatchService::DispatchService(const ServiceContext& context, const DispatchHandler& handler)
    : RpcService(context) {
  StartUnary<v1::DecideRequest, v1::DecideResponse>(
      [this, &handler](auto& call, const auto& request, auto& response) {
        const UnaryOptions options{
            .pool = this->context().solve_pool,
            .drain = this->context().drain.searches_end(),
            .forecast = [&handler, &request](const CallContext& call_context) {
              return handler.ForecastOf(request, call_context);
            }};
        return RunUnaryLater(call, options, response,
                             [&handler, &request](const CallContext& call_context, auto done) {
                               const auto decide = [&] {
                                 return handler.Decide(request, call_context);
                               };
                               done(CallGuarded(decide));
                             });
      },
      // If the queue is full, refuses a request at once, without unpacking it.
      [pool = &context.solve_pool] { return pool->CheckCapacity(); });
}

}  // namespace vrp
