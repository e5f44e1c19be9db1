// All that vrpctl asks of a daemon. No gRPC header is needed to use it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/connection/connection.h"
#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/system_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// Under which an error carries the daemon's name for the request, as it stands in the log there.
inline constexpr char kRequestIdUrl[] = "vrp/request-id";

// A daemon that works answers within the budget and this: the request's way in, its queue, the
// answer's way back.
inline constexpr absl::Duration kAnswerGrace = absl::Seconds(60);

// Calls block until the answer is there. Nothing is retried here. An error carries the daemon's
// code and message, and its google.rpc details as payloads under their type URLs
// ("type.googleapis.com/google.rpc.BadRequest"). Thread-safe.
class RpcClient {
 public:
  // Connects at the first call.
  explicit RpcClient(Connection connection);
  ~RpcClient();
  RpcClient(const RpcClient&) = delete;
  RpcClient& operator=(const RpcClient&) = delete;

  const std::string& remote() const { return connection_.remote; }

  // Ends calls under way, and all later ones, with kCancelled.
  void Cancel();

  // `timeout` is the deadline that the daemon sees; it shortens the budget where it comes first.
  absl::StatusOr<v1::SolveResponse> Solve(const v1::SolveRequest& request, absl::Duration timeout);
  // As Solve; hands each message to `receive` until the stream ends.
  absl::Status StreamSolve(const v1::SolveRequest& request, absl::Duration timeout,
                           absl::FunctionRef<void(const v1::StreamSolveResponse&)> receive);
  absl::StatusOr<v1::SolveJob> CreateSolveJob(const v1::CreateSolveJobRequest& request);
  absl::StatusOr<v1::SolveJob> GetSolveJob(const v1::GetSolveJobRequest& request);
  absl::StatusOr<v1::ListSolveJobsResponse> ListSolveJobs(const v1::ListSolveJobsRequest& request);
  absl::StatusOr<v1::SolveJob> StopSolveJob(const v1::StopSolveJobRequest& request);
  absl::StatusOr<v1::DeleteSolveJobResponse> DeleteSolveJob(
      const v1::DeleteSolveJobRequest& request);
  // As WatchTrainingJob.
  absl::Status WatchSolveJob(const v1::WatchSolveJobRequest& request,
                             absl::FunctionRef<bool(const v1::WatchSolveJobResponse&)> receive);

  absl::StatusOr<v1::CheckSolutionResponse> CheckSolution(const v1::CheckSolutionRequest& request);
  absl::StatusOr<v1::ValidateInstanceResponse> ValidateInstance(
      const v1::ValidateInstanceRequest& request);

  absl::StatusOr<v1::ConvertInstanceResponse> ConvertInstance(
      const v1::ConvertInstanceRequest& request);

  absl::StatusOr<v1::TrainingJob> CreateTrainingJob(const v1::CreateTrainingJobRequest& request);
  absl::StatusOr<v1::TrainingJob> GetTrainingJob(const v1::GetTrainingJobRequest& request);
  absl::StatusOr<v1::ListTrainingJobsResponse> ListTrainingJobs(
      const v1::ListTrainingJobsRequest& request);
  absl::StatusOr<v1::TrainingJob> CancelTrainingJob(const v1::CancelTrainingJobRequest& request);
  absl::StatusOr<v1::TrainingJob> StopTrainingJob(const v1::StopTrainingJobRequest& request);
  absl::StatusOr<v1::TrainingJob> PauseTrainingJob(const v1::PauseTrainingJobRequest& request);
  absl::StatusOr<v1::TrainingJob> ResumeTrainingJob(const v1::ResumeTrainingJobRequest& request);
  absl::StatusOr<v1::DeleteTrainingJobResponse> DeleteTrainingJob(
      const v1::DeleteTrainingJobRequest& request);
  absl::StatusOr<v1::PublishTrainingJobResponse> PublishTrainingJob(
      const v1::PublishTrainingJobRequest& request);
  absl::StatusOr<v1::GetTrainingHistoryResponse> GetTrainingHistory(
      const v1::GetTrainingHistoryRequest& request);
  // Hands each message to `receive` until it returns false or the stream ends; OK in both cases.
  absl::Status WatchTrainingJob(
      const v1::WatchTrainingJobRequest& request,
      absl::FunctionRef<bool(const v1::WatchTrainingJobResponse&)> receive);

  absl::StatusOr<v1::ListModelsResponse> ListModels(const v1::ListModelsRequest& request);
  absl::StatusOr<v1::Model> GetModel(const v1::GetModelRequest& request);
  // As WatchTrainingJob.
  absl::Status EvaluateModel(const v1::EvaluateModelRequest& request,
                             absl::FunctionRef<bool(const v1::EvaluateModelResponse&)> receive);
  absl::Status ExportModel(const v1::ExportModelRequest& request,
                           absl::FunctionRef<bool(const v1::ExportModelResponse&)> receive);
  // Sends what `next` gives until it gives nothing; its error ends the call.
  absl::StatusOr<v1::Model> ImportModel(
      absl::FunctionRef<absl::StatusOr<std::optional<v1::ImportModelRequest>>()> next);
  absl::StatusOr<v1::SetModelAliasResponse> SetModelAlias(const v1::SetModelAliasRequest& request);
  absl::StatusOr<v1::DeleteModelAliasResponse> DeleteModelAlias(
      const v1::DeleteModelAliasRequest& request);
  absl::StatusOr<v1::Model> LoadModel(const v1::LoadModelRequest& request);
  absl::StatusOr<v1::UnloadModelResponse> UnloadModel(const v1::UnloadModelRequest& request);
  absl::StatusOr<v1::DeleteModelVersionResponse> DeleteModelVersion(
      const v1::DeleteModelVersionRequest& request);

  // As WatchTrainingJob.
  absl::Status GenerateInstances(
      const v1::GenerateInstancesRequest& request,
      absl::FunctionRef<bool(const v1::GenerateInstancesResponse&)> receive);

  // As ImportModel.
  absl::StatusOr<v1::Matrices> UploadMatrices(
      absl::FunctionRef<absl::StatusOr<std::optional<v1::UploadMatricesRequest>>()> next);
  absl::StatusOr<v1::ListMatricesResponse> ListMatrices();
  absl::StatusOr<v1::DeleteMatricesResponse> DeleteMatrices(
      const v1::DeleteMatricesRequest& request);

  // As ImportModel.
  absl::StatusOr<v1::Dataset> UploadDataset(
      absl::FunctionRef<absl::StatusOr<std::optional<v1::UploadDatasetRequest>>()> next);
  absl::StatusOr<v1::ListDatasetsResponse> ListDatasets();
  absl::StatusOr<v1::Dataset> GetDataset(const v1::GetDatasetRequest& request);
  absl::StatusOr<v1::DeleteDatasetResponse> DeleteDataset(const v1::DeleteDatasetRequest& request);

  absl::StatusOr<v1::ServerInfo> GetServerInfo();
  absl::StatusOr<v1::ServerStats> GetServerStats();
  absl::StatusOr<v1::SetLogLevelResponse> SetLogLevel(const v1::SetLogLevelRequest& request);
  // As WatchTrainingJob.
  absl::Status BackupServer(absl::FunctionRef<bool(const v1::BackupServerResponse&)> receive);
  // grpc.health.v1: "SERVING", "NOT_SERVING", ... of `service`; empty: of the daemon as a whole.
  absl::StatusOr<std::string> CheckHealth(const std::string& service = "");

 private:
  struct Impl;

  const Connection connection_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vrp::client
