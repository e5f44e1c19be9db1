#include "tests/client/fake_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/rpc/status.pb.h"
#include "vrp/v1/dataset_service.grpc.pb.h"
#include "vrp/v1/dispatch_service.grpc.pb.h"
#include "vrp/v1/estimate_service.grpc.pb.h"
#include "vrp/v1/model_service.grpc.pb.h"
#include "vrp/v1/simulation_service.grpc.pb.h"
#include "vrp/v1/solver_service.grpc.pb.h"
#include "vrp/v1/sweep_service.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client {
namespace {

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  google::rpc::Status details;
  details.set_code(status.raw_code());
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    google::protobuf::Any& any = *details.add_details();
    any.set_type_url(std::string(url));
    any.set_value(std::string(value));
  });
  return grpc::Status(static_cast<grpc::StatusCode>(status.raw_code()),
                      std::string(status.message()), details.SerializeAsString());
}

template <typename Request, typename Response>
grpc::Status HandleUnary(const FakeHandlers::Unary<Request, Response>& handler,
                         grpc::ServerContext* context, const Request* request, Response* response) {
  if (!handler) return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "the test set no handler");
  absl::StatusOr<Response> result =
      handler(*request, {[context] { return context->IsCancelled(); }});
  if (!result.ok()) return ToGrpc(result.status());
  *response = *std::move(result);
  return grpc::Status::OK;
}

template <typename Request, typename Response>
grpc::Status HandleStream(const FakeHandlers::Stream<Request, Response>& handler,
                          const Request* request, grpc::ServerWriter<Response>* writer) {
  if (!handler) return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "the test set no handler");
  return ToGrpc(
      handler(*request, [writer](const Response& response) { return writer->Write(response); }));
}

class FakeSolver : public v1::SolverService::Service {
 public:
  explicit FakeSolver(const FakeHandlers& handlers) : handlers_(handlers) {}
  grpc::Status Solve(grpc::ServerContext* context, const v1::SolveRequest* request,
                     v1::SolveResponse* response) override {
    return HandleUnary(handlers_.solve, context, request, response);
  }
  grpc::Status StreamSolve(grpc::ServerContext*, const v1::SolveRequest* request,
                           grpc::ServerWriter<v1::StreamSolveResponse>* writer) override {
    return HandleStream(handlers_.stream_solve, request, writer);
  }
  grpc::Status BatchSolve(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::BatchSolveResponse, v1::BatchSolveRequest>* stream) override {
    if (!handlers_.batch_solve) {
      return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "the test set no handler");
    }
    v1::BatchSolveRequest request;
    while (stream->Read(&request)) {
      const absl::StatusOr<v1::BatchSolveResponse> response = handlers_.batch_solve(request);
      if (!response.ok()) return ToGrpc(response.status());
      stream->Write(*response);
    }
    return grpc::Status::OK;
  }
  grpc::Status CheckSolution(grpc::ServerContext* context, const v1::CheckSolutionRequest* request,
                             v1::CheckSolutionResponse* response) override {
    return HandleUnary(handlers_.check, context, request, response);
  }
  grpc::Status ValidateInstance(grpc::ServerContext* context,
                                const v1::ValidateInstanceRequest* request,
                                v1::ValidateInstanceResponse* response) override {
    return HandleUnary(handlers_.validate, context, request, response);
  }
  grpc::Status ConvertInstance(grpc::ServerContext* context,
                               const v1::ConvertInstanceRequest* request,
                               v1::ConvertInstanceResponse* response) override {
    return HandleUnary(handlers_.convert, context, request, response);
  }
  grpc::Status CreateSolveJob(grpc::ServerContext* context,
                              const v1::CreateSolveJobRequest* request,
                              v1::SolveJob* response) override {
    return HandleUnary(handlers_.create_solve_job, context, request, response);
  }
  grpc::Status GetSolveJob(grpc::ServerContext* context, const v1::GetSolveJobRequest* request,
                           v1::SolveJob* response) override {
    return HandleUnary(handlers_.get_solve_job, context, request, response);
  }
  grpc::Status ListSolveJobs(grpc::ServerContext* context, const v1::ListSolveJobsRequest* request,
                             v1::ListSolveJobsResponse* response) override {
    return HandleUnary(handlers_.list_solve_jobs, context, request, response);
  }
  grpc::Status StopSolveJob(grpc::ServerContext* context, const v1::StopSolveJobRequest* request,
                            v1::SolveJob* response) override {
    return HandleUnary(handlers_.stop_solve_job, context, request, response);
  }
  grpc::Status DeleteSolveJob(grpc::ServerContext* context,
                              const v1::DeleteSolveJobRequest* request,
                              v1::DeleteSolveJobResponse* response) override {
    return HandleUnary(handlers_.delete_solve_job, context, request, response);
  }
  grpc::Status WatchSolveJob(grpc::ServerContext*, const v1::WatchSolveJobRequest* request,
                             grpc::ServerWriter<v1::WatchSolveJobResponse>* writer) override {
    return HandleStream(handlers_.watch_solve_job, request, writer);
  }

 private:
  const FakeHandlers& handlers_;
};

class FakeDispatch : public v1::DispatchService::Service {
 public:
  explicit FakeDispatch(const FakeHandlers& handlers) : handlers_(handlers) {}
  grpc::Status Decide(grpc::ServerContext* context, const v1::DecideRequest* request,
                      v1::DecideResponse* response) override {
    return HandleUnary(handlers_.decide, context, request, response);
  }

 private:
  const FakeHandlers& handlers_;
};

class FakeEstimates : public v1::EstimateService::Service {
 public:
  explicit FakeEstimates(const FakeHandlers& handlers) : handlers_(handlers) {}
  grpc::Status EstimateCosts(grpc::ServerContext* context, const v1::EstimateCostsRequest* request,
                             v1::EstimateCostsResponse* response) override {
    return HandleUnary(handlers_.estimate_costs, context, request, response);
  }

 private:
  const FakeHandlers& handlers_;
};

class FakeSimulations : public v1::SimulationService::Service {
 public:
  explicit FakeSimulations(const FakeHandlers& handlers) : handlers_(handlers) {}
  grpc::Status CreateSimulation(grpc::ServerContext* context,
                                const v1::CreateSimulationRequest* request,
                                v1::Simulation* response) override {
    return HandleUnary(handlers_.create_simulation, context, request, response);
  }
  grpc::Status GetSimulation(grpc::ServerContext* context, const v1::GetSimulationRequest* request,
                             v1::Simulation* response) override {
    return HandleUnary(handlers_.get_simulation, context, request, response);
  }
  grpc::Status ListSimulations(grpc::ServerContext* context,
                               const v1::ListSimulationsRequest* request,
                               v1::ListSimulationsResponse* response) override {
    return HandleUnary(handlers_.list_simulations, context, request, response);
  }
  grpc::Status StopSimulation(grpc::ServerContext* context,
                              const v1::StopSimulationRequest* request,
                              v1::Simulation* response) override {
    return HandleUnary(handlers_.stop_simulation, context, request, response);
  }
  grpc::Status DeleteSimulation(grpc::ServerContext* context,
                                const v1::DeleteSimulationRequest* request,
                                v1::DeleteSimulationResponse* response) override {
    return HandleUnary(handlers_.delete_simulation, context, request, response);
  }
  grpc::Status WatchSimulation(grpc::ServerContext*, const v1::WatchSimulationRequest* request,
                               grpc::ServerWriter<v1::WatchSimulationResponse>* writer) override {
    return HandleStream(handlers_.watch_simulation, request, writer);
  }

 private:
  const FakeHandlers& handlers_;
};

class FakeSweeps : public v1::SweepService::Service {
 public:
  explicit FakeSweeps(const FakeHandlers& handlers) : handlers_(handlers) {}
  grpc::Status CreateSweep(grpc::ServerContext* context, const v1::CreateSweepRequest* request,
                           v1::Sweep* response) override {
    return HandleUnary(handlers_.create_sweep, context, request, response);
  }
  grpc::Status GetSweep(grpc::ServerContext* context, const v1::GetSweepRequest* request,
                        v1::Sweep* response) override {
    return HandleUnary(handlers_.get_sweep, context, request, response);
  }
  grpc::Status StopSweep(grpc::ServerContext* context, const v1::StopSweepRequest* request,
                         v1::Sweep* response) override {
    return HandleUnary(handlers_.stop_sweep, context, request, response);
  }
  grpc::Status PauseSweep(grpc::ServerContext* context, const v1::PauseSweepRequest* request,
                          v1::Sweep* response) override {
    return HandleUnary(handlers_.pause_sweep, context, request, response);
  }
  grpc::Status ResumeSweep(grpc::ServerContext* context, const v1::ResumeSweepRequest* request,
                           v1::Sweep* response) override {
    return HandleUnary(handlers_.resume_sweep, context, request, response);
  }
  grpc::Status ListSweeps(grpc::ServerContext* context, const v1::ListSweepsRequest* request,
                          v1::ListSweepsResponse* response) override {
    return HandleUnary(handlers_.list_sweeps, context, request, response);
  }
  grpc::Status DeleteSweep(grpc::ServerContext* context, const v1::DeleteSweepRequest* request,
                           v1::DeleteSweepResponse* response) override {
    return HandleUnary(handlers_.delete_sweep, context, request, response);
  }
  grpc::Status WatchSweep(grpc::ServerContext*, const v1::WatchSweepRequest* request,
                          grpc::ServerWriter<v1::WatchSweepResponse>* writer) override {
    return HandleStream(handlers_.watch_sweep, request, writer);
  }

 private:
  const FakeHandlers& handlers_;
};

class FakeTraining : public v1::TrainingService::Service {
 public:
  explicit FakeTraining(const FakeHandlers& handlers) : handlers_(handlers) {}
  grpc::Status CreateTrainingJob(grpc::ServerContext* context,
                                 const v1::CreateTrainingJobRequest* request,
                                 v1::TrainingJob* response) override {
    return HandleUnary(handlers_.create_job, context, request, response);
  }
  grpc::Status GetTrainingJob(grpc::ServerContext* context,
                              const v1::GetTrainingJobRequest* request,
                              v1::TrainingJob* response) override {
    return HandleUnary(handlers_.get_job, context, request, response);
  }
  grpc::Status ListTrainingJobs(grpc::ServerContext* context,
                                const v1::ListTrainingJobsRequest* request,
                                v1::ListTrainingJobsResponse* response) override {
    return HandleUnary(handlers_.list_jobs, context, request, response);
  }
  grpc::Status CancelTrainingJob(grpc::ServerContext* context,
                                 const v1::CancelTrainingJobRequest* request,
                                 v1::TrainingJob* response) override {
    return HandleUnary(handlers_.cancel_job, context, request, response);
  }
  grpc::Status StopTrainingJob(grpc::ServerContext* context,
                               const v1::StopTrainingJobRequest* request,
                               v1::TrainingJob* response) override {
    return HandleUnary(handlers_.stop_job, context, request, response);
  }
  grpc::Status PauseTrainingJob(grpc::ServerContext* context,
                                const v1::PauseTrainingJobRequest* request,
                                v1::TrainingJob* response) override {
    return HandleUnary(handlers_.pause_job, context, request, response);
  }
  grpc::Status ResumeTrainingJob(grpc::ServerContext* context,
                                 const v1::ResumeTrainingJobRequest* request,
                                 v1::TrainingJob* response) override {
    return HandleUnary(handlers_.resume_job, context, request, response);
  }
  grpc::Status DeleteTrainingJob(grpc::ServerContext* context,
                                 const v1::DeleteTrainingJobRequest* request,
                                 v1::DeleteTrainingJobResponse* response) override {
    return HandleUnary(handlers_.delete_job, context, request, response);
  }
  grpc::Status PublishTrainingJob(grpc::ServerContext* context,
                                  const v1::PublishTrainingJobRequest* request,
                                  v1::PublishTrainingJobResponse* response) override {
    return HandleUnary(handlers_.publish_job, context, request, response);
  }
  grpc::Status GetTrainingHistory(grpc::ServerContext* context,
                                  const v1::GetTrainingHistoryRequest* request,
                                  v1::GetTrainingHistoryResponse* response) override {
    return HandleUnary(handlers_.history, context, request, response);
  }
  grpc::Status WatchTrainingJob(grpc::ServerContext*, const v1::WatchTrainingJobRequest* request,
                                grpc::ServerWriter<v1::WatchTrainingJobResponse>* writer) override {
    return HandleStream(handlers_.watch_job, request, writer);
  }

 private:
  const FakeHandlers& handlers_;
};

class FakeModels : public v1::ModelService::Service {
 public:
  explicit FakeModels(const FakeHandlers& handlers) : handlers_(handlers) {}
  grpc::Status ListModels(grpc::ServerContext* context, const v1::ListModelsRequest* request,
                          v1::ListModelsResponse* response) override {
    return HandleUnary(handlers_.list_models, context, request, response);
  }
  grpc::Status GetModel(grpc::ServerContext* context, const v1::GetModelRequest* request,
                        v1::Model* response) override {
    return HandleUnary(handlers_.get_model, context, request, response);
  }
  grpc::Status EvaluateModel(grpc::ServerContext*, const v1::EvaluateModelRequest* request,
                             grpc::ServerWriter<v1::EvaluateModelResponse>* writer) override {
    return HandleStream(handlers_.evaluate_model, request, writer);
  }
  grpc::Status ExportModel(grpc::ServerContext*, const v1::ExportModelRequest* request,
                           grpc::ServerWriter<v1::ExportModelResponse>* writer) override {
    return HandleStream(handlers_.export_model, request, writer);
  }
  grpc::Status SetModelAlias(grpc::ServerContext* context, const v1::SetModelAliasRequest* request,
                             v1::SetModelAliasResponse* response) override {
    return HandleUnary(handlers_.set_alias, context, request, response);
  }
  grpc::Status DeleteModelAlias(grpc::ServerContext* context,
                                const v1::DeleteModelAliasRequest* request,
                                v1::DeleteModelAliasResponse* response) override {
    return HandleUnary(handlers_.delete_alias, context, request, response);
  }
  grpc::Status LoadModel(grpc::ServerContext* context, const v1::LoadModelRequest* request,
                         v1::Model* response) override {
    return HandleUnary(handlers_.load_model, context, request, response);
  }
  grpc::Status UnloadModel(grpc::ServerContext* context, const v1::UnloadModelRequest* request,
                           v1::UnloadModelResponse* response) override {
    return HandleUnary(handlers_.unload_model, context, request, response);
  }
  grpc::Status DeleteModelVersion(grpc::ServerContext* context,
                                  const v1::DeleteModelVersionRequest* request,
                                  v1::DeleteModelVersionResponse* response) override {
    return HandleUnary(handlers_.delete_version, context, request, response);
  }
  grpc::Status ImportModel(grpc::ServerContext* context,
                           grpc::ServerReader<v1::ImportModelRequest>* reader,
                           v1::Model* response) override {
    std::vector<v1::ImportModelRequest> messages;
    for (v1::ImportModelRequest message; reader->Read(&message);) messages.push_back(message);
    return HandleUnary(handlers_.import_model, context, &messages, response);
  }

 private:
  const FakeHandlers& handlers_;
};

class FakeDatasets : public v1::DatasetService::Service {
 public:
  explicit FakeDatasets(const FakeHandlers& handlers) : handlers_(handlers) {}
  grpc::Status GenerateInstances(
      grpc::ServerContext*, const v1::GenerateInstancesRequest* request,
      grpc::ServerWriter<v1::GenerateInstancesResponse>* writer) override {
    return HandleStream(handlers_.generate, request, writer);
  }
  grpc::Status UploadMatrices(grpc::ServerContext* context,
                              grpc::ServerReader<v1::UploadMatricesRequest>* reader,
                              v1::Matrices* response) override {
    std::vector<v1::UploadMatricesRequest> messages;
    for (v1::UploadMatricesRequest message; reader->Read(&message);) messages.push_back(message);
    return HandleUnary(handlers_.upload_matrices, context, &messages, response);
  }
  grpc::Status ListMatrices(grpc::ServerContext* context, const v1::ListMatricesRequest* request,
                            v1::ListMatricesResponse* response) override {
    return HandleUnary(handlers_.list_matrices, context, request, response);
  }
  grpc::Status DeleteMatrices(grpc::ServerContext* context,
                              const v1::DeleteMatricesRequest* request,
                              v1::DeleteMatricesResponse* response) override {
    return HandleUnary(handlers_.delete_matrices, context, request, response);
  }
  grpc::Status UploadDataset(grpc::ServerContext* context,
                             grpc::ServerReader<v1::UploadDatasetRequest>* reader,
                             v1::Dataset* response) override {
    std::vector<v1::UploadDatasetRequest> messages;
    for (v1::UploadDatasetRequest message; reader->Read(&message);) messages.push_back(message);
    return HandleUnary(handlers_.upload_dataset, context, &messages, response);
  }
  grpc::Status ListDatasets(grpc::ServerContext* context, const v1::ListDatasetsRequest* request,
                            v1::ListDatasetsResponse* response) override {
    return HandleUnary(handlers_.list_datasets, context, request, response);
  }
  grpc::Status GetDataset(grpc::ServerContext* context, const v1::GetDatasetRequest* request,
                          v1::Dataset* response) override {
    return HandleUnary(handlers_.get_dataset, context, request, response);
  }
  grpc::Status ExportDataset(grpc::ServerContext*, const v1::ExportDatasetRequest* request,
                             grpc::ServerWriter<v1::ExportDatasetResponse>* writer) override {
    return HandleStream(handlers_.export_dataset, request, writer);
  }
  grpc::Status DeleteDataset(grpc::ServerContext* context, const v1::DeleteDatasetRequest* request,
                             v1::DeleteDatasetResponse* response) override {
    return HandleUnary(handlers_.delete_dataset, context, request, response);
  }

 private:
  const FakeHandlers& handlers_;
};

class FakeSystem : public v1::SystemService::Service {
 public:
  explicit FakeSystem(const FakeHandlers& handlers) : handlers_(handlers) {}
  grpc::Status GetServerInfo(grpc::ServerContext* context, const v1::GetServerInfoRequest* request,
                             v1::ServerInfo* response) override {
    return HandleUnary(handlers_.server_info, context, request, response);
  }
  grpc::Status GetServerStats(grpc::ServerContext* context,
                              const v1::GetServerStatsRequest* request,
                              v1::ServerStats* response) override {
    return HandleUnary(handlers_.server_stats, context, request, response);
  }
  grpc::Status SetLogLevel(grpc::ServerContext* context, const v1::SetLogLevelRequest* request,
                           v1::SetLogLevelResponse* response) override {
    return HandleUnary(handlers_.set_log_level, context, request, response);
  }
  grpc::Status BackupServer(grpc::ServerContext*, const v1::BackupServerRequest* request,
                            grpc::ServerWriter<v1::BackupServerResponse>* writer) override {
    return HandleStream(handlers_.backup, request, writer);
  }

 private:
  const FakeHandlers& handlers_;
};

}  // namespace

struct FakeServer::Impl {
  explicit Impl(FakeHandlers given) : handlers(std::move(given)) {
    services.push_back(std::make_unique<FakeSolver>(handlers));
    services.push_back(std::make_unique<FakeDispatch>(handlers));
    services.push_back(std::make_unique<FakeEstimates>(handlers));
    services.push_back(std::make_unique<FakeSimulations>(handlers));
    services.push_back(std::make_unique<FakeSweeps>(handlers));
    services.push_back(std::make_unique<FakeTraining>(handlers));
    services.push_back(std::make_unique<FakeModels>(handlers));
    services.push_back(std::make_unique<FakeDatasets>(handlers));
    services.push_back(std::make_unique<FakeSystem>(handlers));
  }

  // Starts serving and returns the port. If `wanted_port` is 0, uses any free port.
  int Start(int wanted_port) {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    int chosen = 0;
    builder.AddListeningPort(absl::StrCat("127.0.0.1:", wanted_port),
                             grpc::InsecureServerCredentials(), &chosen);
    for (const auto& service : services) builder.RegisterService(service.get());
    server = builder.BuildAndStart();
    return chosen;
  }

  const FakeHandlers handlers;
  std::vector<std::unique_ptr<grpc::Service>> services;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
};

FakeServer::FakeServer(FakeHandlers handlers) : impl_(std::make_unique<Impl>(std::move(handlers))) {
  impl_->port = impl_->Start(0);
  address_ = absl::StrCat("127.0.0.1:", impl_->port);
}

FakeServer::~FakeServer() { Stop(); }

void FakeServer::SetServing(bool serving, const std::string& service) {
  impl_->server->GetHealthCheckService()->SetServingStatus(service, serving);
}

void FakeServer::Stop() {
  if (impl_->server == nullptr) return;
  impl_->server->Shutdown(std::chrono::system_clock::now());
  impl_->server->Wait();
  impl_->server.reset();
}

void FakeServer::Restart() {
  Stop();
  impl_->Start(impl_->port);
}

}  // namespace vrp::client
