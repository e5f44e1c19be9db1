// SolverService: as services.h.
#pragma once

#include "grpcpp/support/server_callback.h"
#include "server/service/receive.h"
#include "server/service/service_context.h"
#include "server/service/solve_job_handler.h"
#include "server/service/solver_handler.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp {

class SolverService final : public ReceivingService<v1::SolverService> {
 public:
  SolverService(const ServiceContext& context, const SolverHandler& handler,
                const SolveJobHandler& jobs);
  grpc::ServerUnaryReactor* Solve(grpc::CallbackServerContext* context,
                                  const v1::SolveRequest* request,
                                  v1::SolveResponse* response) override;
  grpc::ServerWriteReactor<v1::StreamSolveResponse>* StreamSolve(
      grpc::CallbackServerContext* context, const v1::SolveRequest* request) override;
  grpc::ServerUnaryReactor* CheckSolution(grpc::CallbackServerContext* context,
                                          const v1::CheckSolutionRequest* request,
                                          v1::CheckSolutionResponse* response) override;
  grpc::ServerUnaryReactor* ValidateInstance(grpc::CallbackServerContext* context,
                                             const v1::ValidateInstanceRequest* request,
                                             v1::ValidateInstanceResponse* response) override;
  grpc::ServerUnaryReactor* ConvertInstance(grpc::CallbackServerContext* context,
                                            const v1::ConvertInstanceRequest* request,
                                            v1::ConvertInstanceResponse* response) override;
  grpc::ServerUnaryReactor* CreateSolveJob(grpc::CallbackServerContext* context,
                                           const v1::CreateSolveJobRequest* request,
                                           v1::SolveJob* response) override;
  grpc::ServerUnaryReactor* GetSolveJob(grpc::CallbackServerContext* context,
                                        const v1::GetSolveJobRequest* request,
                                        v1::SolveJob* response) override;
  grpc::ServerUnaryReactor* ListSolveJobs(grpc::CallbackServerContext* context,
                                          const v1::ListSolveJobsRequest* request,
                                          v1::ListSolveJobsResponse* response) override;
  grpc::ServerUnaryReactor* StopSolveJob(grpc::CallbackServerContext* context,
                                         const v1::StopSolveJobRequest* request,
                                         v1::SolveJob* response) override;
  grpc::ServerUnaryReactor* DeleteSolveJob(grpc::CallbackServerContext* context,
                                           const v1::DeleteSolveJobRequest* request,
                                           v1::DeleteSolveJobResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchSolveJobResponse>* WatchSolveJob(
      grpc::CallbackServerContext* context, const v1::WatchSolveJobRequest* request) override;

 private:
  // BatchSolve.
  grpc::ServerBidiReactor<Received<v1::BatchSolveRequest>, v1::BatchSolveResponse>* Batch(
      const grpc::CallbackServerContext& call);

  const ServiceContext context_;
  const SolverHandler& handler_;
  const SolveJobHandler& jobs_;
};

}  // namespace vrp
