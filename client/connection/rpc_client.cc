#include "client/connection/rpc_client.h"

#include <grpc/support/time.h>
#include <grpcpp/grpcpp.h>

#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/connection/channel.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "vrp/v1/dataset_service.grpc.pb.h"
#include "vrp/v1/model_service.grpc.pb.h"
#include "vrp/v1/solver_service.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client {
namespace {

// For calls that only look something up; a daemon that takes longer is stuck.
constexpr absl::Duration kLookupTimeout = absl::Seconds(30);
// The daemon waits two minutes for the end of a training's step.
constexpr absl::Duration kPublishTimeout = absl::Seconds(150);
// Weights of gigabytes are read and summed up.
constexpr absl::Duration kLoadTimeout = absl::Minutes(5);
// Checking reads instances of up to 64 MiB.
constexpr absl::Duration kCheckTimeout = absl::Seconds(120);

// By the clock that nobody sets. (Abseil's Now notices only after two seconds that somebody has set
// the machine's, and gRPC at once.)
gpr_timespec DeadlineAfter(absl::Duration timeout) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(absl::ToInt64Nanoseconds(timeout), GPR_TIMESPAN));
}

}  // namespace

struct RpcClient::Impl {
  explicit Impl(const Connection& connection)
      : token(connection.token),
        channel(MakeChannel(connection)),
        solver(v1::SolverService::NewStub(channel)),
        training(v1::TrainingService::NewStub(channel)),
        models(v1::ModelService::NewStub(channel)),
        datasets(v1::DatasetService::NewStub(channel)),
        system(v1::SystemService::NewStub(channel)),
        health(grpc::health::v1::Health::NewStub(channel)) {}

  // Gives `context` the token, and makes it known to Cancel for as long as this lives.
  class Registration {
   public:
    Registration(Impl& impl, grpc::ClientContext& context) : impl_(impl), context_(context) {
      if (!impl_.token.empty()) {
        context_.AddMetadata("authorization", absl::StrCat("Bearer ", impl_.token));
      }
      absl::MutexLock lock(&impl_.mutex);
      impl_.active.insert(&context_);
      if (impl_.cancelled) context_.TryCancel();
    }
    ~Registration() {
      absl::MutexLock lock(&impl_.mutex);
      impl_.active.erase(&context_);
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

   private:
    Impl& impl_;
    grpc::ClientContext& context_;
  };

  template <typename Response, typename Stub, typename Request>
  absl::StatusOr<Response> Call(Stub& stub,
                                grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                const Request& request, absl::Duration timeout) {
    grpc::ClientContext context;
    context.set_deadline(DeadlineAfter(timeout));
    const Registration registration(*this, context);
    Response response;
    absl::Status status = FromGrpc((stub.*method)(&context, request, &response), context);
    if (!status.ok()) return status;
    return response;
  }

  template <typename Response, typename Open>
  absl::Status Stream(Open open, absl::FunctionRef<bool(const Response&)> receive) {
    grpc::ClientContext context;
    const Registration registration(*this, context);
    std::unique_ptr<grpc::ClientReader<Response>> reader = open(&context);
    Response response;
    while (reader->Read(&response)) {
      if (receive(response)) continue;
      context.TryCancel();
      reader->Finish();
      return absl::OkStatus();
    }
    return FromGrpc(reader->Finish(), context);
  }

  // Sends what `next` gives until it gives nothing; its error ends the call.
  template <typename Request, typename Response, typename Open>
  absl::StatusOr<Response> Upload(
      Open open, absl::FunctionRef<absl::StatusOr<std::optional<Request>>()> next) {
    grpc::ClientContext context;
    const Registration registration(*this, context);
    Response response;
    const std::unique_ptr<grpc::ClientWriter<Request>> writer = open(&context, &response);
    absl::StatusOr<std::optional<Request>> message = next();
    // A write that fails means that the daemon has ended the call; Finish says why.
    while (message.ok() && message->has_value() && writer->Write(**message)) message = next();
    if (!message.ok()) context.TryCancel();
    writer->WritesDone();
    const absl::Status status = FromGrpc(writer->Finish(), context);
    if (!message.ok()) return message.status();
    if (!status.ok()) return status;
    return response;
  }

  const std::string token;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::SolverService::Stub> solver;
  std::unique_ptr<v1::TrainingService::Stub> training;
  std::unique_ptr<v1::ModelService::Stub> models;
  std::unique_ptr<v1::DatasetService::Stub> datasets;
  std::unique_ptr<v1::SystemService::Stub> system;
  std::unique_ptr<grpc::health::v1::Health::Stub> health;

  absl::Mutex mutex;
  bool cancelled ABSL_GUARDED_BY(mutex) = false;
  std::set<grpc::ClientContext*> active ABSL_GUARDED_BY(mutex);
};

RpcClient::RpcClient(Connection connection)
    : connection_(std::move(connection)), impl_(std::make_unique<Impl>(connection_)) {}
RpcClient::~RpcClient() = default;

void RpcClient::Cancel() {
  absl::MutexLock lock(&impl_->mutex);
  impl_->cancelled = true;
  for (grpc::ClientContext* context : impl_->active) context->TryCancel();
}

absl::StatusOr<v1::SolveResponse> RpcClient::Solve(const v1::SolveRequest& request,
                                                   absl::Duration timeout) {
  return impl_->Call(*impl_->solver, &v1::SolverService::Stub::Solve, request, timeout);
}

absl::Status RpcClient::StreamSolve(
    const v1::SolveRequest& request, absl::Duration timeout,
    absl::FunctionRef<void(const v1::StreamSolveResponse&)> receive) {
  const auto open = [&](grpc::ClientContext* context) {
    context->set_deadline(DeadlineAfter(timeout));
    return impl_->solver->StreamSolve(context, request);
  };
  return impl_->Stream<v1::StreamSolveResponse>(open, [&](const v1::StreamSolveResponse& message) {
    receive(message);
    return true;
  });
}

absl::StatusOr<v1::SolveJob> RpcClient::CreateSolveJob(const v1::CreateSolveJobRequest& request) {
  return impl_->Call(*impl_->solver, &v1::SolverService::Stub::CreateSolveJob, request,
                     kCheckTimeout);
}

absl::StatusOr<v1::SolveJob> RpcClient::GetSolveJob(const v1::GetSolveJobRequest& request) {
  return impl_->Call(*impl_->solver, &v1::SolverService::Stub::GetSolveJob, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::ListSolveJobsResponse> RpcClient::ListSolveJobs(
    const v1::ListSolveJobsRequest& request) {
  return impl_->Call(*impl_->solver, &v1::SolverService::Stub::ListSolveJobs, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::SolveJob> RpcClient::StopSolveJob(const v1::StopSolveJobRequest& request) {
  return impl_->Call(*impl_->solver, &v1::SolverService::Stub::StopSolveJob, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::DeleteSolveJobResponse> RpcClient::DeleteSolveJob(
    const v1::DeleteSolveJobRequest& request) {
  return impl_->Call(*impl_->solver, &v1::SolverService::Stub::DeleteSolveJob, request,
                     kLookupTimeout);
}

absl::Status RpcClient::WatchSolveJob(
    const v1::WatchSolveJobRequest& request,
    absl::FunctionRef<bool(const v1::WatchSolveJobResponse&)> receive) {
  return impl_->Stream<v1::WatchSolveJobResponse>(
      [&](grpc::ClientContext* context) { return impl_->solver->WatchSolveJob(context, request); },
      receive);
}

absl::StatusOr<v1::CheckSolutionResponse> RpcClient::CheckSolution(
    const v1::CheckSolutionRequest& request) {
  return impl_->Call(*impl_->solver, &v1::SolverService::Stub::CheckSolution, request,
                     kCheckTimeout);
}

absl::StatusOr<v1::ValidateInstanceResponse> RpcClient::ValidateInstance(
    const v1::ValidateInstanceRequest& request) {
  return impl_->Call(*impl_->solver, &v1::SolverService::Stub::ValidateInstance, request,
                     kCheckTimeout);
}

absl::StatusOr<v1::ConvertInstanceResponse> RpcClient::ConvertInstance(
    const v1::ConvertInstanceRequest& request) {
  return impl_->Call(*impl_->solver, &v1::SolverService::Stub::ConvertInstance, request,
                     kCheckTimeout);
}

absl::StatusOr<v1::TrainingJob> RpcClient::CreateTrainingJob(
    const v1::CreateTrainingJobRequest& request) {
  return impl_->Call(*impl_->training, &v1::TrainingService::Stub::CreateTrainingJob, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::TrainingJob> RpcClient::GetTrainingJob(
    const v1::GetTrainingJobRequest& request) {
  return impl_->Call(*impl_->training, &v1::TrainingService::Stub::GetTrainingJob, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::ListTrainingJobsResponse> RpcClient::ListTrainingJobs(
    const v1::ListTrainingJobsRequest& request) {
  return impl_->Call(*impl_->training, &v1::TrainingService::Stub::ListTrainingJobs, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::TrainingJob> RpcClient::CancelTrainingJob(
    const v1::CancelTrainingJobRequest& request) {
  return impl_->Call(*impl_->training, &v1::TrainingService::Stub::CancelTrainingJob, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::TrainingJob> RpcClient::StopTrainingJob(
    const v1::StopTrainingJobRequest& request) {
  return impl_->Call(*impl_->training, &v1::TrainingService::Stub::StopTrainingJob, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::TrainingJob> RpcClient::PauseTrainingJob(
    const v1::PauseTrainingJobRequest& request) {
  return impl_->Call(*impl_->training, &v1::TrainingService::Stub::PauseTrainingJob, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::TrainingJob> RpcClient::ResumeTrainingJob(
    const v1::ResumeTrainingJobRequest& request) {
  return impl_->Call(*impl_->training, &v1::TrainingService::Stub::ResumeTrainingJob, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::DeleteTrainingJobResponse> RpcClient::DeleteTrainingJob(
    const v1::DeleteTrainingJobRequest& request) {
  return impl_->Call(*impl_->training, &v1::TrainingService::Stub::DeleteTrainingJob, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::PublishTrainingJobResponse> RpcClient::PublishTrainingJob(
    const v1::PublishTrainingJobRequest& request) {
  return impl_->Call(*impl_->training, &v1::TrainingService::Stub::PublishTrainingJob, request,
                     kPublishTimeout);
}

absl::StatusOr<v1::GetTrainingHistoryResponse> RpcClient::GetTrainingHistory(
    const v1::GetTrainingHistoryRequest& request) {
  return impl_->Call(*impl_->training, &v1::TrainingService::Stub::GetTrainingHistory, request,
                     kLookupTimeout);
}

absl::Status RpcClient::WatchTrainingJob(
    const v1::WatchTrainingJobRequest& request,
    absl::FunctionRef<bool(const v1::WatchTrainingJobResponse&)> receive) {
  return impl_->Stream<v1::WatchTrainingJobResponse>(
      [&](grpc::ClientContext* context) {
        return impl_->training->WatchTrainingJob(context, request);
      },
      receive);
}

absl::StatusOr<v1::ListModelsResponse> RpcClient::ListModels(const v1::ListModelsRequest& request) {
  return impl_->Call(*impl_->models, &v1::ModelService::Stub::ListModels, request, kLookupTimeout);
}

absl::StatusOr<v1::Model> RpcClient::GetModel(const v1::GetModelRequest& request) {
  return impl_->Call(*impl_->models, &v1::ModelService::Stub::GetModel, request, kLookupTimeout);
}

absl::Status RpcClient::EvaluateModel(
    const v1::EvaluateModelRequest& request,
    absl::FunctionRef<bool(const v1::EvaluateModelResponse&)> receive) {
  return impl_->Stream<v1::EvaluateModelResponse>(
      [&](grpc::ClientContext* context) { return impl_->models->EvaluateModel(context, request); },
      receive);
}

absl::Status RpcClient::ExportModel(
    const v1::ExportModelRequest& request,
    absl::FunctionRef<bool(const v1::ExportModelResponse&)> receive) {
  return impl_->Stream<v1::ExportModelResponse>(
      [&](grpc::ClientContext* context) { return impl_->models->ExportModel(context, request); },
      receive);
}

absl::StatusOr<v1::Model> RpcClient::ImportModel(
    absl::FunctionRef<absl::StatusOr<std::optional<v1::ImportModelRequest>>()> next) {
  return impl_->Upload<v1::ImportModelRequest, v1::Model>(
      [&](grpc::ClientContext* context, v1::Model* model) {
        return impl_->models->ImportModel(context, model);
      },
      next);
}

absl::StatusOr<v1::SetModelAliasResponse> RpcClient::SetModelAlias(
    const v1::SetModelAliasRequest& request) {
  return impl_->Call(*impl_->models, &v1::ModelService::Stub::SetModelAlias, request, kLoadTimeout);
}

absl::StatusOr<v1::DeleteModelAliasResponse> RpcClient::DeleteModelAlias(
    const v1::DeleteModelAliasRequest& request) {
  return impl_->Call(*impl_->models, &v1::ModelService::Stub::DeleteModelAlias, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::Model> RpcClient::LoadModel(const v1::LoadModelRequest& request) {
  return impl_->Call(*impl_->models, &v1::ModelService::Stub::LoadModel, request, kLoadTimeout);
}

absl::StatusOr<v1::UnloadModelResponse> RpcClient::UnloadModel(
    const v1::UnloadModelRequest& request) {
  return impl_->Call(*impl_->models, &v1::ModelService::Stub::UnloadModel, request, kLookupTimeout);
}

absl::StatusOr<v1::DeleteModelVersionResponse> RpcClient::DeleteModelVersion(
    const v1::DeleteModelVersionRequest& request) {
  return impl_->Call(*impl_->models, &v1::ModelService::Stub::DeleteModelVersion, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::Matrices> RpcClient::UploadMatrices(
    absl::FunctionRef<absl::StatusOr<std::optional<v1::UploadMatricesRequest>>()> next) {
  return impl_->Upload<v1::UploadMatricesRequest, v1::Matrices>(
      [&](grpc::ClientContext* context, v1::Matrices* matrices) {
        return impl_->datasets->UploadMatrices(context, matrices);
      },
      next);
}

absl::StatusOr<v1::ListMatricesResponse> RpcClient::ListMatrices() {
  return impl_->Call(*impl_->datasets, &v1::DatasetService::Stub::ListMatrices,
                     v1::ListMatricesRequest(), kLookupTimeout);
}

absl::StatusOr<v1::DeleteMatricesResponse> RpcClient::DeleteMatrices(
    const v1::DeleteMatricesRequest& request) {
  return impl_->Call(*impl_->datasets, &v1::DatasetService::Stub::DeleteMatrices, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::Dataset> RpcClient::UploadDataset(
    absl::FunctionRef<absl::StatusOr<std::optional<v1::UploadDatasetRequest>>()> next) {
  return impl_->Upload<v1::UploadDatasetRequest, v1::Dataset>(
      [&](grpc::ClientContext* context, v1::Dataset* dataset) {
        return impl_->datasets->UploadDataset(context, dataset);
      },
      next);
}

absl::StatusOr<v1::ListDatasetsResponse> RpcClient::ListDatasets() {
  return impl_->Call(*impl_->datasets, &v1::DatasetService::Stub::ListDatasets,
                     v1::ListDatasetsRequest(), kLookupTimeout);
}

absl::StatusOr<v1::Dataset> RpcClient::GetDataset(const v1::GetDatasetRequest& request) {
  return impl_->Call(*impl_->datasets, &v1::DatasetService::Stub::GetDataset, request,
                     kLookupTimeout);
}

absl::StatusOr<v1::DeleteDatasetResponse> RpcClient::DeleteDataset(
    const v1::DeleteDatasetRequest& request) {
  return impl_->Call(*impl_->datasets, &v1::DatasetService::Stub::DeleteDataset, request,
                     kLookupTimeout);
}

absl::Status RpcClient::GenerateInstances(
    const v1::GenerateInstancesRequest& request,
    absl::FunctionRef<bool(const v1::GenerateInstancesResponse&)> receive) {
  return impl_->Stream<v1::GenerateInstancesResponse>(
      [&](grpc::ClientContext* context) {
        return impl_->datasets->GenerateInstances(context, request);
      },
      receive);
}

absl::StatusOr<v1::ServerInfo> RpcClient::GetServerInfo() {
  return impl_->Call(*impl_->system, &v1::SystemService::Stub::GetServerInfo,
                     v1::GetServerInfoRequest(), kLookupTimeout);
}

absl::StatusOr<v1::ServerStats> RpcClient::GetServerStats() {
  return impl_->Call(*impl_->system, &v1::SystemService::Stub::GetServerStats,
                     v1::GetServerStatsRequest(), kLookupTimeout);
}

absl::StatusOr<v1::SetLogLevelResponse> RpcClient::SetLogLevel(
    const v1::SetLogLevelRequest& request) {
  return impl_->Call(*impl_->system, &v1::SystemService::Stub::SetLogLevel, request,
                     kLookupTimeout);
}

absl::Status RpcClient::BackupServer(
    absl::FunctionRef<bool(const v1::BackupServerResponse&)> receive) {
  return impl_->Stream<v1::BackupServerResponse>(
      [&](grpc::ClientContext* context) {
        return impl_->system->BackupServer(context, v1::BackupServerRequest());
      },
      receive);
}

absl::StatusOr<std::string> RpcClient::CheckHealth(const std::string& service) {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  const absl::StatusOr<grpc::health::v1::HealthCheckResponse> response =
      impl_->Call(*impl_->health, &grpc::health::v1::Health::Stub::Check, request, kLookupTimeout);
  if (!response.ok()) return response.status();
  return grpc::health::v1::HealthCheckResponse::ServingStatus_Name(response->status());
}

}  // namespace vrp::client
