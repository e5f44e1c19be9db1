#include "server/service/solver_service.h"

#include <algorithm>
#include <utility>

#include "core/base/steady_time.h"
#include "server/service/batch_call.h"
#include "server/service/call_deadline.h"
#include "server/service/heartbeat.h"
#include "server/service/request_input.h"
#include "server/service/solve_stream.h"
#include "server/service/stream_call.h"

namespace vrp {
namespace {

// Slots per thread, so that each thread finds its next request already read.
constexpr int32_t kBatchSlotsPerThread = 2;

bool WaitsForRoads(const v1::CreateSolveJobRequest& request) {
  return MayNameRoadsIn(request.solve());
}

template <typename Request>
bool WaitsForRoads(const Request& request) {
  return MayNameRoadsIn(request);
}

}  // namespace

template <typename Handler, typename Request, typename Response>
void SolverService::UnaryWithRoads(const Handler& handler,
                                   absl::StatusOr<Response> (Handler::*handle)(const Request&,
                                                                               const CallContext&)
                                       const) {
  StartUnary<Request, Response>(
      [this, &handler, handle](auto& call, const auto& request, auto& response) {
        // The two threads for quick calls must not wait for a service.
        WorkPool& pool =
            WaitsForRoads(request) ? this->context().batch_pool : this->context().quick_pool;
        return RunUnary(call, pool, response,
                        [&handler, handle, &request](const CallContext& call_context) {
                          return (handler.*handle)(request, call_context);
                        });
      });
}

SolverService::SolverService(const ServiceContext& context, const SolverHandler& handler,
                             const SolveJobHandler& jobs)
    : RpcService(context), handler_(handler) {
  StartUnary<v1::SolveRequest, v1::SolveResponse>(
      [this](auto& call, const auto& request, auto& response) {
        return Solve(call, request, response);
      },
      // If the queue is full, refuses a request at once, without unpacking it.
      [pool = &context.solve_pool] { return pool->CheckCapacity(); });
  StartStream<v1::SolveRequest, v1::StreamSolveResponse>(
      [this](auto& call, const auto& request) { return StreamSolve(call, request); });
  StartBatch<v1::BatchSolveRequest, v1::BatchSolveResponse>(
      [this](auto* call) { return BatchSolve(*call); });
  UnaryWithRoads(handler.instances(), &InstanceHandler::Check);
  UnaryWithRoads(handler.instances(), &InstanceHandler::Validate);
  UnaryWithRoads(handler.instances(), &InstanceHandler::Convert);
  UnaryWithRoads(jobs, &SolveJobHandler::Create);
  Unary(jobs, &SolveJobHandler::Get);
  Unary(jobs, &SolveJobHandler::List);
  Unary(jobs, &SolveJobHandler::Stop);
  Unary(jobs, &SolveJobHandler::Delete);
  Stream(jobs, &SolveJobHandler::Watch,
         [&jobs, &clock = context.clock](const v1::WatchSolveJobRequest& request) {
           return HeartbeatOf<v1::WatchSolveJobResponse>(
               clock, [&jobs, name = request.name()] { return jobs.QueuePosition(name); });
         });
}

grpc::ServerUnaryReactor* SolverService::Solve(grpc::CallbackServerContext& call,
                                               const v1::SolveRequest& request,
                                               v1::SolveResponse& response) const {
  const auto forecast = [this, &request](const CallContext& call_context) {
    return handler_.ForecastOf(request, call_context);
  };
  return RunUnaryLater(
      call,
      {.pool = context().solve_pool, .drain = context().drain.searches_end(), .forecast = forecast},
      response, [this, &request](const CallContext& call_context, SolverHandler::AnswerFn done) {
        handler_.SolveLater(request, call_context, std::move(done));
      });
}

grpc::ServerWriteReactor<v1::StreamSolveResponse>* SolverService::StreamSolve(
    grpc::CallbackServerContext& call, const v1::SolveRequest& request) const {
  const SolveStreamContext solve{.handler = &handler_,
                                 .pool = &context().solve_pool,
                                 .received = SteadyNow(),
                                 .deadline = DeadlineOf(call),
                                 .drain = context().drain.searches_end()};
  return StreamCall<v1::StreamSolveResponse>::Start(
      {.pool = &context().quick_pool,
       .streams = &context().streams,
       .open = [solve, request] { return OpenSolveStream(solve, request); },
       .heartbeat = nullptr,
       .ends_in_drain = true});
}

grpc::ServerBidiReactor<Received<v1::BatchSolveRequest>, v1::BatchSolveResponse>*
SolverService::BatchSolve(const grpc::CallbackServerContext& call) const {
  return BatchCall<Received<v1::BatchSolveRequest>, v1::BatchSolveResponse>::Start(
      {.pool = &context().solve_pool,
       .streams = &context().streams,
       .slots =
           std::max(kBatchSlotsPerThread * context().solve_pool.threads(), context().read_ahead),
       .deadline = DeadlineOf(call),
       .drain = context().drain.searches_end(),
       .prepare =
           [this](Received<v1::BatchSolveRequest>& request) { request.Unpack(context().messages); },
       .answer =
           [this](const Received<v1::BatchSolveRequest>& request, const CallContext& call_context,
                  absl::AnyInvocable<void(v1::BatchSolveResponse)> done) {
             if (request.status().ok()) {
               return handler_.SolveBatchItem(request.message(), call_context, std::move(done));
             }
             v1::BatchSolveResponse response;
             *response.mutable_error() = ToDetailedStatus(request.status());
             done(std::move(response));
           },
       // The budget of a request begins when a thread takes it.
       .forecast =
           [this](const Received<v1::BatchSolveRequest>& request) {
             if (!request.status().ok()) return Forecast();
             return Forecast{.work = handler_.ExpectedWork(request.message().solve())};
           }});
}

}  // namespace vrp
