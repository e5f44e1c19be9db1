// A fake daemon whose responses a test sets. Tests that use it need no gRPC header.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/dispatch_service.pb.h"
#include "vrp/v1/estimate_service.pb.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/simulation_service.pb.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/sweep_service.pb.h"
#include "vrp/v1/system_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// The call that a handler serves.
struct FakeCall {
  // Whether the caller has cancelled the call or disconnected.
  std::function<bool()> cancelled;
};

// The handlers of the daemon's RPCs. Unset handlers return UNIMPLEMENTED. Handlers run in the
// server's threads. A status payload of type type.googleapis.com/... becomes an error detail.
struct FakeHandlers {
  template <typename Request, typename Response>
  using Unary = std::function<absl::StatusOr<Response>(const Request&, const FakeCall&)>;
  template <typename Request, typename Response>
  using Stream =
      std::function<absl::Status(const Request&, absl::FunctionRef<bool(const Response&)> write)>;

  Unary<v1::SolveRequest, v1::SolveResponse> solve;
  Stream<v1::SolveRequest, v1::StreamSolveResponse> stream_solve;
  // Answers a message of BatchSolve; a status ends the stream.
  std::function<absl::StatusOr<v1::BatchSolveResponse>(const v1::BatchSolveRequest&)> batch_solve;
  Unary<v1::CheckSolutionRequest, v1::CheckSolutionResponse> check;
  Unary<v1::ValidateInstanceRequest, v1::ValidateInstanceResponse> validate;
  Unary<v1::ConvertInstanceRequest, v1::ConvertInstanceResponse> convert;
  Unary<v1::CreateSolveJobRequest, v1::SolveJob> create_solve_job;
  Unary<v1::GetSolveJobRequest, v1::SolveJob> get_solve_job;
  Unary<v1::ListSolveJobsRequest, v1::ListSolveJobsResponse> list_solve_jobs;
  Unary<v1::StopSolveJobRequest, v1::SolveJob> stop_solve_job;
  Unary<v1::DeleteSolveJobRequest, v1::DeleteSolveJobResponse> delete_solve_job;
  Stream<v1::WatchSolveJobRequest, v1::WatchSolveJobResponse> watch_solve_job;
  Unary<v1::DecideRequest, v1::DecideResponse> decide;
  Unary<v1::EstimateCostsRequest, v1::EstimateCostsResponse> estimate_costs;
  Unary<v1::CreateSimulationRequest, v1::Simulation> create_simulation;
  Unary<v1::GetSimulationRequest, v1::Simulation> get_simulation;
  Unary<v1::ListSimulationsRequest, v1::ListSimulationsResponse> list_simulations;
  Unary<v1::StopSimulationRequest, v1::Simulation> stop_simulation;
  Unary<v1::DeleteSimulationRequest, v1::DeleteSimulationResponse> delete_simulation;
  Stream<v1::WatchSimulationRequest, v1::WatchSimulationResponse> watch_simulation;

  Unary<v1::CreateSweepRequest, v1::Sweep> create_sweep;
  Unary<v1::GetSweepRequest, v1::Sweep> get_sweep;
  Unary<v1::ListSweepsRequest, v1::ListSweepsResponse> list_sweeps;
  Unary<v1::StopSweepRequest, v1::Sweep> stop_sweep;
  Unary<v1::PauseSweepRequest, v1::Sweep> pause_sweep;
  Unary<v1::ResumeSweepRequest, v1::Sweep> resume_sweep;
  Unary<v1::DeleteSweepRequest, v1::DeleteSweepResponse> delete_sweep;
  Stream<v1::WatchSweepRequest, v1::WatchSweepResponse> watch_sweep;
  Unary<v1::CreateTrainingJobRequest, v1::TrainingJob> create_job;
  Unary<v1::GetTrainingJobRequest, v1::TrainingJob> get_job;
  Unary<v1::ListTrainingJobsRequest, v1::ListTrainingJobsResponse> list_jobs;
  Unary<v1::CancelTrainingJobRequest, v1::TrainingJob> cancel_job;
  Unary<v1::StopTrainingJobRequest, v1::TrainingJob> stop_job;
  Unary<v1::PauseTrainingJobRequest, v1::TrainingJob> pause_job;
  Unary<v1::ResumeTrainingJobRequest, v1::TrainingJob> resume_job;
  Unary<v1::DeleteTrainingJobRequest, v1::DeleteTrainingJobResponse> delete_job;
  Unary<v1::PublishTrainingJobRequest, v1::PublishTrainingJobResponse> publish_job;
  Unary<v1::GetTrainingHistoryRequest, v1::GetTrainingHistoryResponse> history;
  Stream<v1::WatchTrainingJobRequest, v1::WatchTrainingJobResponse> watch_job;
  Unary<v1::ListModelsRequest, v1::ListModelsResponse> list_models;
  Unary<v1::GetModelRequest, v1::Model> get_model;
  Stream<v1::EvaluateModelRequest, v1::EvaluateModelResponse> evaluate_model;
  Stream<v1::ExportModelRequest, v1::ExportModelResponse> export_model;
  // Receives all messages of an upload.
  Unary<std::vector<v1::ImportModelRequest>, v1::Model> import_model;
  Unary<v1::SetModelAliasRequest, v1::SetModelAliasResponse> set_alias;
  Unary<v1::DeleteModelAliasRequest, v1::DeleteModelAliasResponse> delete_alias;
  Unary<v1::LoadModelRequest, v1::Model> load_model;
  Unary<v1::UnloadModelRequest, v1::UnloadModelResponse> unload_model;
  Unary<v1::DeleteModelVersionRequest, v1::DeleteModelVersionResponse> delete_version;
  Stream<v1::GenerateInstancesRequest, v1::GenerateInstancesResponse> generate;
  // Receives all messages of an upload.
  Unary<std::vector<v1::UploadMatricesRequest>, v1::Matrices> upload_matrices;
  Unary<v1::ListMatricesRequest, v1::ListMatricesResponse> list_matrices;
  Unary<v1::DeleteMatricesRequest, v1::DeleteMatricesResponse> delete_matrices;
  // Receives all messages of an upload.
  Unary<std::vector<v1::UploadDatasetRequest>, v1::Dataset> upload_dataset;
  Unary<v1::ListDatasetsRequest, v1::ListDatasetsResponse> list_datasets;
  Unary<v1::GetDatasetRequest, v1::Dataset> get_dataset;
  Stream<v1::ExportDatasetRequest, v1::ExportDatasetResponse> export_dataset;
  Unary<v1::DeleteDatasetRequest, v1::DeleteDatasetResponse> delete_dataset;
  Unary<v1::GetServerInfoRequest, v1::ServerInfo> server_info;
  Unary<v1::GetServerStatsRequest, v1::ServerStats> server_stats;
  Unary<v1::SetLogLevelRequest, v1::SetLogLevelResponse> set_log_level;
  Stream<v1::BackupServerRequest, v1::BackupServerResponse> backup;
};

// A gRPC server that calls the handlers of a test.
class FakeServer {
 public:
  // Starts serving on a free loopback port, until destroyed.
  explicit FakeServer(FakeHandlers handlers);
  ~FakeServer();

  // Returns "127.0.0.1:PORT".
  const std::string& address() const { return address_; }
  // Sets the status that grpc.health.v1 reports for `service`; by default, for the whole daemon.
  void SetServing(bool serving, const std::string& service = "");
  // Breaks all connections and closes the port.
  void Stop();
  // Serves again on the same port.
  void Restart();

 private:
  struct Impl;

  std::unique_ptr<Impl> impl_;
  std::string address_;
};

}  // namespace vrp::client
