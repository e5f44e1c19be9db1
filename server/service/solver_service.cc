#include "server/service/solver_service.h"

#include <algorithm>
#include <utility>

#include "core/base/steady_time.h"
#include "server/service/batch_call.h"
#include "server/service/call_deadline.h"
#include "server/service/heartbeat.h"
#include "server/service/solve_stream.h"
#include "server/service/stream_call.h"

namespace vrp {
namespace {

// So that each thread finds its next request read.
constexpr int32_t kBatchSlotsPerThread = 2;

}  // namespace

SolverService::SolverService(const ServiceContext& context, const SolverHandler& handler,
                             const SolveJobHandler& jobs)
    : context_(context), handler_(handler), jobs_(jobs) {
  // A daemon that is full says so at once, whatever a request is.
  const auto room = [pool = &context_.solve_pool] { return pool->CheckRoom(); };
  Receive("Solve", {.budget = context_.messages, .admit = room}, &SolverService::Solve);
  Receive("StreamSolve", {context_.messages}, &SolverService::StreamSolve);
  Receive("CheckSolution", {context_.messages}, &SolverService::CheckSolution);
  Receive("ValidateInstance", {context_.messages}, &SolverService::ValidateInstance);
  Receive("ConvertInstance", {context_.messages}, &SolverService::ConvertInstance);
  Receive("CreateSolveJob", {context_.messages}, &SolverService::CreateSolveJob);
  Receive("GetSolveJob", {context_.messages}, &SolverService::GetSolveJob);
  Receive("ListSolveJobs", {context_.messages}, &SolverService::ListSolveJobs);
  Receive("StopSolveJob", {context_.messages}, &SolverService::StopSolveJob);
  Receive("DeleteSolveJob", {context_.messages}, &SolverService::DeleteSolveJob);
  Receive("WatchSolveJob", {context_.messages}, &SolverService::WatchSolveJob);
  MarkMethodCallback(MethodIndex("vrp.v1.SolverService.BatchSolve"),
                     ReceiveBatch<v1::BatchSolveRequest, v1::BatchSolveResponse>(
                         [this](grpc::CallbackServerContext* call) { return Batch(*call); }));
}

grpc::ServerUnaryReactor* SolverService::Solve(grpc::CallbackServerContext* context,
                                               const v1::SolveRequest* request,
                                               v1::SolveResponse* response) {
  const auto forecast = [this, request](const CallContext& call) {
    return handler_.ForecastOf(*request, call);
  };
  return RunUnaryLater(
      *context,
      {.pool = context_.solve_pool, .drain = context_.drain.searches_end(), .forecast = forecast},
      *response, [this, request](const CallContext& call, SolverHandler::Answered done) {
        handler_.SolveLater(*request, call, std::move(done));
      });
}

grpc::ServerWriteReactor<v1::StreamSolveResponse>* SolverService::StreamSolve(
    grpc::CallbackServerContext* context, const v1::SolveRequest* request) {
  const SolveStreamContext solve{.handler = &handler_,
                                 .pool = &context_.solve_pool,
                                 .received = SteadyNow(),
                                 .deadline = DeadlineOf(*context),
                                 .drain = context_.drain.searches_end()};
  return StreamCall<v1::StreamSolveResponse>::Start(
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .open = [solve, request = *request] { return OpenSolveStream(solve, request); },
       .heartbeat = nullptr,
       .ends_in_drain = true});
}

grpc::ServerBidiReactor<Received<v1::BatchSolveRequest>, v1::BatchSolveResponse>*
SolverService::Batch(const grpc::CallbackServerContext& context) {
  return BatchCall<Received<v1::BatchSolveRequest>, v1::BatchSolveResponse>::Start(
      {.pool = &context_.solve_pool,
       .hub = &context_.streams,
       .slots = std::max(kBatchSlotsPerThread * context_.solve_pool.threads(), context_.read_ahead),
       .deadline = DeadlineOf(context),
       .drain = context_.drain.searches_end(),
       .prepare =
           [this](Received<v1::BatchSolveRequest>& request) { request.Unpack(context_.messages); },
       .answer =
           [this](const Received<v1::BatchSolveRequest>& request, const CallContext& call,
                  absl::AnyInvocable<void(v1::BatchSolveResponse)> done) {
             if (request.status().ok()) {
               return handler_.SolveOfBatch(request.message(), call, std::move(done));
             }
             v1::BatchSolveResponse response;
             *response.mutable_error() = ToDetailedStatus(request.status());
             done(std::move(response));
           },
       // Its budget begins with it.
       .forecast =
           [this](const Received<v1::BatchSolveRequest>& request) {
             if (!request.status().ok()) return Forecast();
             return Forecast{.work = handler_.WorkOf(request.message().solve())};
           }});
}

grpc::ServerUnaryReactor* SolverService::CheckSolution(grpc::CallbackServerContext* context,
                                                       const v1::CheckSolutionRequest* request,
                                                       v1::CheckSolutionResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Check(*request); });
}

grpc::ServerUnaryReactor* SolverService::ValidateInstance(
    grpc::CallbackServerContext* context, const v1::ValidateInstanceRequest* request,
    v1::ValidateInstanceResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Validate(*request); });
}

grpc::ServerUnaryReactor* SolverService::ConvertInstance(grpc::CallbackServerContext* context,
                                                         const v1::ConvertInstanceRequest* request,
                                                         v1::ConvertInstanceResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Convert(*request); });
}

grpc::ServerUnaryReactor* SolverService::CreateSolveJob(grpc::CallbackServerContext* context,
                                                        const v1::CreateSolveJobRequest* request,
                                                        v1::SolveJob* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return jobs_.Create(*request); });
}

grpc::ServerUnaryReactor* SolverService::GetSolveJob(grpc::CallbackServerContext* context,
                                                     const v1::GetSolveJobRequest* request,
                                                     v1::SolveJob* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return jobs_.Get(*request); });
}

grpc::ServerUnaryReactor* SolverService::ListSolveJobs(grpc::CallbackServerContext* context,
                                                       const v1::ListSolveJobsRequest* request,
                                                       v1::ListSolveJobsResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return jobs_.List(*request); });
}

grpc::ServerUnaryReactor* SolverService::StopSolveJob(grpc::CallbackServerContext* context,
                                                      const v1::StopSolveJobRequest* request,
                                                      v1::SolveJob* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return jobs_.Stop(*request); });
}

grpc::ServerUnaryReactor* SolverService::DeleteSolveJob(grpc::CallbackServerContext* context,
                                                        const v1::DeleteSolveJobRequest* request,
                                                        v1::DeleteSolveJobResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return jobs_.Delete(*request); });
}

grpc::ServerWriteReactor<v1::WatchSolveJobResponse>* SolverService::WatchSolveJob(
    grpc::CallbackServerContext*, const v1::WatchSolveJobRequest* request) {
  return StreamCall<v1::WatchSolveJobResponse>::Start(
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .open = [this, request = *request] { return jobs_.Watch(request); },
       .heartbeat = HeartbeatOf<v1::WatchSolveJobResponse>(
           context_.clock, [this, name = request->name()] { return jobs_.QueuePosition(name); })});
}

}  // namespace vrp
