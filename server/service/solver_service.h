// Connects each RPC of SolverService with its handler.
#pragma once

#include "grpcpp/support/server_callback.h"
#include "server/service/rpc_service.h"
#include "server/service/service_context.h"
#include "server/service/solve_job_handler.h"
#include "server/service/solver_handler.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp {

class SolverService final : public RpcService<v1::SolverService> {
 public:
  SolverService(const ServiceContext& context, const SolverHandler& handler,
                const SolveJobHandler& jobs);

 private:
  // Handles a unary RPC whose handler may ask the services of road networks.
  template <typename Handler, typename Request, typename Response>
  void UnaryWithRoads(const Handler& handler,
                      absl::StatusOr<Response> (Handler::*handle)(const Request&,
                                                                  const CallContext&) const);
  grpc::ServerUnaryReactor* Solve(grpc::CallbackServerContext& call,
                                  const v1::SolveRequest& request,
                                  v1::SolveResponse& response) const;
  grpc::ServerWriteReactor<v1::StreamSolveResponse>* StreamSolve(
      grpc::CallbackServerContext& call, const v1::SolveRequest& request) const;
  grpc::ServerBidiReactor<Received<v1::BatchSolveRequest>, v1::BatchSolveResponse>* BatchSolve(
      const grpc::CallbackServerContext& call) const;

  const SolverHandler& handler_;
};

}  // namespace vrp
