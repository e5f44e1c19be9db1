#include "server/service/services.h"

#include "server/convert/time_convert.h"
#include "server/service/batch_call.h"
#include "server/service/dataset_handler.h"
#include "server/service/matrix_handler.h"
#include "server/service/solve_stream.h"
#include "server/service/stream_call.h"
#include "server/service/upload_call.h"

namespace vrp {
namespace {

// So that each thread finds its next request read.
constexpr int32_t kBatchSlotsPerThread = 2;

}  // namespace

grpc::ServerUnaryReactor* SolverService::Solve(grpc::CallbackServerContext* context,
                                               const v1::SolveRequest* request,
                                               v1::SolveResponse* response) {
  return RunUnary(
      *context, context_.solve_pool, *response,
      [this, request](const CallContext& call) { return handler_.Solve(*request, call); });
}

grpc::ServerWriteReactor<v1::StreamSolveResponse>* SolverService::StreamSolve(
    grpc::CallbackServerContext* context, const v1::SolveRequest* request) {
  const SolveStreamContext solve{.handler = &handler_,
                                 .pool = &context_.solve_pool,
                                 .received = absl::Now(),
                                 .deadline = DeadlineOf(*context)};
  return StreamCall<v1::StreamSolveResponse>::Start(
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .open = [solve, request = *request] { return OpenSolveStream(solve, request); },
       .heartbeat = nullptr});
}

grpc::ServerBidiReactor<v1::BatchSolveRequest, v1::BatchSolveResponse>* SolverService::BatchSolve(
    grpc::CallbackServerContext* context) {
  return BatchCall<v1::BatchSolveRequest, v1::BatchSolveResponse>::Start(
      {.pool = &context_.solve_pool,
       .hub = &context_.streams,
       .slots = kBatchSlotsPerThread * context_.solve_pool.threads(),
       .deadline = DeadlineOf(*context),
       .answer = [this](const v1::BatchSolveRequest& request, const CallContext& call) {
         return handler_.SolveOfBatch(request, call);
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

grpc::ServerUnaryReactor* TrainingService::CreateTrainingJob(
    grpc::CallbackServerContext* context, const v1::CreateTrainingJobRequest* request,
    v1::TrainingJob* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Create(*request); });
}

grpc::ServerUnaryReactor* TrainingService::GetTrainingJob(grpc::CallbackServerContext* context,
                                                          const v1::GetTrainingJobRequest* request,
                                                          v1::TrainingJob* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Get(*request); });
}

grpc::ServerUnaryReactor* TrainingService::ListTrainingJobs(
    grpc::CallbackServerContext* context, const v1::ListTrainingJobsRequest* request,
    v1::ListTrainingJobsResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.List(*request); });
}

grpc::ServerUnaryReactor* TrainingService::CancelTrainingJob(
    grpc::CallbackServerContext* context, const v1::CancelTrainingJobRequest* request,
    v1::TrainingJob* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Cancel(*request); });
}

grpc::ServerWriteReactor<v1::WatchTrainingJobResponse>* TrainingService::WatchTrainingJob(
    grpc::CallbackServerContext*, const v1::WatchTrainingJobRequest* request) {
  const auto heartbeat = [&clock = context_.clock] {
    v1::WatchTrainingJobResponse message;
    *message.mutable_time() = ToProto(clock.Now());
    return message;
  };
  return StreamCall<v1::WatchTrainingJobResponse>::Start(
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .open = [this, request = *request] { return handler_.Watch(request); },
       .heartbeat = heartbeat});
}

grpc::ServerUnaryReactor* ModelService::ListModels(grpc::CallbackServerContext* context,
                                                   const v1::ListModelsRequest* request,
                                                   v1::ListModelsResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.List(*request); });
}

grpc::ServerUnaryReactor* ModelService::GetModel(grpc::CallbackServerContext* context,
                                                 const v1::GetModelRequest* request,
                                                 v1::Model* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Get(*request); });
}

grpc::ServerWriteReactor<v1::EvaluateModelResponse>* ModelService::EvaluateModel(
    grpc::CallbackServerContext*, const v1::EvaluateModelRequest* request) {
  return StreamCall<v1::EvaluateModelResponse>::Start(
      {.pool = &context_.solve_pool,
       .hub = &context_.streams,
       .open = [this, request = *request] { return handler_.Evaluate(request); },
       .heartbeat = nullptr});
}

grpc::ServerReadReactor<v1::ImportModelRequest>* ModelService::ImportModel(
    grpc::CallbackServerContext* context, v1::Model* response) {
  const std::shared_ptr<ModelImport> import = handler_.Import();
  return UploadCall<v1::ImportModelRequest, v1::Model>::Start(
      *context, *response,
      {.pool = &context_.quick_pool,
       .take = [import](const v1::ImportModelRequest& message) { return import->Take(message); },
       .finish = [import] { return import->Finish(); }});
}

grpc::ServerWriteReactor<v1::ExportModelResponse>* ModelService::ExportModel(
    grpc::CallbackServerContext*, const v1::ExportModelRequest* request) {
  return StreamCall<v1::ExportModelResponse>::Start(
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .open = [this, request = *request] { return handler_.Export(request); },
       .heartbeat = nullptr});
}

grpc::ServerWriteReactor<v1::GenerateInstancesResponse>* DatasetService::GenerateInstances(
    grpc::CallbackServerContext*, const v1::GenerateInstancesRequest* request) {
  return StreamCall<v1::GenerateInstancesResponse>::Start(
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .open = [request = *request] { return OpenGenerator(request); },
       .heartbeat = nullptr});
}

grpc::ServerReadReactor<v1::UploadMatricesRequest>* DatasetService::UploadMatrices(
    grpc::CallbackServerContext* context, v1::Matrices* response) {
  const auto import = std::make_shared<MatrixImport>(matrices_);
  return UploadCall<v1::UploadMatricesRequest, v1::Matrices>::Start(
      *context, *response,
      {.pool = &context_.quick_pool,
       .take = [import](const v1::UploadMatricesRequest& message) { return import->Take(message); },
       .finish = [import] { return import->Finish(); }});
}

grpc::ServerUnaryReactor* DatasetService::ListMatrices(grpc::CallbackServerContext* context,
                                                       const v1::ListMatricesRequest*,
                                                       v1::ListMatricesResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response, [this](const CallContext&) {
    return absl::StatusOr<v1::ListMatricesResponse>(vrp::ListMatrices(matrices_));
  });
}

grpc::ServerUnaryReactor* DatasetService::DeleteMatrices(grpc::CallbackServerContext* context,
                                                         const v1::DeleteMatricesRequest* request,
                                                         v1::DeleteMatricesResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response, [this, request](const CallContext&) {
    return vrp::DeleteMatrices(matrices_, *request);
  });
}

grpc::ServerUnaryReactor* SystemService::GetServerInfo(grpc::CallbackServerContext* context,
                                                       const v1::GetServerInfoRequest*,
                                                       v1::ServerInfo* response) {
  return RunUnary(*context, context_.quick_pool, *response, [this](const CallContext&) {
    return absl::StatusOr<v1::ServerInfo>(DescribeServer(facts_));
  });
}

}  // namespace vrp
