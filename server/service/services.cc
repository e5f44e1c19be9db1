#include "server/service/services.h"

#include <utility>

#include "core/base/status_macros.h"
#include "server/service/backup_source.h"
#include "server/service/dataset_handler.h"
#include "server/service/heartbeat.h"
#include "server/service/matrix_handler.h"
#include "server/service/stats_handler.h"
#include "server/service/stream_call.h"
#include "server/service/upload_call.h"
#include "server/service/uploaded_datasets.h"

namespace vrp {

TrainingService::TrainingService(const ServiceContext& context, const TrainingHandler& handler)
    : context_(context), handler_(handler) {
  Receive("CreateTrainingJob", {context_.messages}, &TrainingService::CreateTrainingJob);
  Receive("GetTrainingJob", {context_.messages}, &TrainingService::GetTrainingJob);
  Receive("ListTrainingJobs", {context_.messages}, &TrainingService::ListTrainingJobs);
  Receive("CancelTrainingJob", {context_.messages}, &TrainingService::CancelTrainingJob);
  Receive("StopTrainingJob", {context_.messages}, &TrainingService::StopTrainingJob);
  Receive("PauseTrainingJob", {context_.messages}, &TrainingService::PauseTrainingJob);
  Receive("ResumeTrainingJob", {context_.messages}, &TrainingService::ResumeTrainingJob);
  Receive("DeleteTrainingJob", {context_.messages}, &TrainingService::DeleteTrainingJob);
  Receive("PublishTrainingJob", {context_.messages}, &TrainingService::PublishTrainingJob);
  Receive("GetTrainingHistory", {context_.messages}, &TrainingService::GetTrainingHistory);
  Receive("WatchTrainingJob", {context_.messages}, &TrainingService::WatchTrainingJob);
}

DatasetService::DatasetService(const ServiceContext& context, const Stores& stores,
                               int32_t max_nodes)
    : context_(context), stores_(stores), max_nodes_(max_nodes) {
  Receive("GenerateInstances", {context_.messages}, &DatasetService::GenerateInstances);
  Receive("ListMatrices", {context_.messages}, &DatasetService::ListMatrices);
  Receive("DeleteMatrices", {context_.messages}, &DatasetService::DeleteMatrices);
  Receive("ListDatasets", {context_.messages}, &DatasetService::ListDatasets);
  Receive("GetDataset", {context_.messages}, &DatasetService::GetDataset);
  Receive("DeleteDataset", {context_.messages}, &DatasetService::DeleteDataset);
  MarkMethodCallback(MethodIndex("vrp.v1.DatasetService.UploadMatrices"),
                     ReceiveStream<v1::UploadMatricesRequest, v1::Matrices>(
                         [this](grpc::CallbackServerContext* call, v1::Matrices* response) {
                           return Upload(*call, *response);
                         }));
  MarkMethodCallback(MethodIndex("vrp.v1.DatasetService.UploadDataset"),
                     ReceiveStream<v1::UploadDatasetRequest, v1::Dataset>(
                         [this](grpc::CallbackServerContext* call, v1::Dataset* response) {
                           return Upload(*call, *response);
                         }));
}

SystemService::SystemService(const ServiceContext& context, SystemFacts facts,
                             const Telemetry& telemetry, BackupSources backup)
    : context_(context),
      facts_(std::move(facts)),
      telemetry_(telemetry),
      backup_(std::move(backup)) {
  Receive("GetServerInfo", {context_.messages}, &SystemService::GetServerInfo);
  Receive("GetServerStats", {context_.messages}, &SystemService::GetServerStats);
  Receive("SetLogLevel", {context_.messages}, &SystemService::SetLogLevel);
  Receive("BackupServer", {context_.messages}, &SystemService::BackupServer);
}

grpc::ServerUnaryReactor* TrainingService::CreateTrainingJob(
    grpc::CallbackServerContext* context, const v1::CreateTrainingJobRequest* request,
    v1::TrainingJob* response) {
  return RunUnary(*context, context_.patient_pool, *response,
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

grpc::ServerUnaryReactor* TrainingService::StopTrainingJob(
    grpc::CallbackServerContext* context, const v1::StopTrainingJobRequest* request,
    v1::TrainingJob* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Stop(*request); });
}

grpc::ServerUnaryReactor* TrainingService::PauseTrainingJob(
    grpc::CallbackServerContext* context, const v1::PauseTrainingJobRequest* request,
    v1::TrainingJob* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Pause(*request); });
}

grpc::ServerUnaryReactor* TrainingService::ResumeTrainingJob(
    grpc::CallbackServerContext* context, const v1::ResumeTrainingJobRequest* request,
    v1::TrainingJob* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Resume(*request); });
}

grpc::ServerUnaryReactor* TrainingService::DeleteTrainingJob(
    grpc::CallbackServerContext* context, const v1::DeleteTrainingJobRequest* request,
    v1::DeleteTrainingJobResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.Delete(*request); });
}

grpc::ServerUnaryReactor* TrainingService::PublishTrainingJob(
    grpc::CallbackServerContext* context, const v1::PublishTrainingJobRequest* request,
    v1::PublishTrainingJobResponse* response) {
  return RunUnary(*context, context_.patient_pool, *response,
                  [this, request](const CallContext&) { return handler_.Publish(*request); });
}

grpc::ServerUnaryReactor* TrainingService::GetTrainingHistory(
    grpc::CallbackServerContext* context, const v1::GetTrainingHistoryRequest* request,
    v1::GetTrainingHistoryResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [this, request](const CallContext&) { return handler_.GetHistory(*request); });
}

grpc::ServerWriteReactor<v1::WatchTrainingJobResponse>* TrainingService::WatchTrainingJob(
    grpc::CallbackServerContext*, const v1::WatchTrainingJobRequest* request) {
  return StreamCall<v1::WatchTrainingJobResponse>::Start(
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .open = [this, request = *request] { return handler_.Watch(request); },
       .heartbeat = HeartbeatOf<v1::WatchTrainingJobResponse>(
           context_.clock,
           [this, name = request->name()] { return handler_.QueuePosition(name); })});
}

grpc::ServerWriteReactor<v1::GenerateInstancesResponse>* DatasetService::GenerateInstances(
    grpc::CallbackServerContext*, const v1::GenerateInstancesRequest* request) {
  return StreamCall<v1::GenerateInstancesResponse>::Start(
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .open = [this, request = *request] { return OpenGenerator(request, max_nodes_); },
       .heartbeat = nullptr});
}

grpc::ServerReadReactor<Received<v1::UploadMatricesRequest>>* DatasetService::Upload(
    grpc::CallbackServerContext& call, v1::Matrices& response) {
  const auto import = std::make_shared<MatrixImport>(stores_.matrices, context_.messages);
  return UploadCall<v1::UploadMatricesRequest, v1::Matrices>::Start(
      call, response,
      {.pool = &context_.quick_pool,
       .hub = &context_.streams,
       .messages = &context_.messages,
       .take = [import](const v1::UploadMatricesRequest& message) { return import->Take(message); },
       .finish = [import] { return import->Finish(); }});
}

grpc::ServerUnaryReactor* DatasetService::ListMatrices(grpc::CallbackServerContext* context,
                                                       const v1::ListMatricesRequest*,
                                                       v1::ListMatricesResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response, [this](const CallContext&) {
    return absl::StatusOr<v1::ListMatricesResponse>(vrp::ListMatrices(stores_.matrices));
  });
}

grpc::ServerUnaryReactor* DatasetService::DeleteMatrices(grpc::CallbackServerContext* context,
                                                         const v1::DeleteMatricesRequest* request,
                                                         v1::DeleteMatricesResponse* response) {
  return RunUnary(
      *context, context_.quick_pool, *response,
      [this, request](const CallContext&) -> absl::StatusOr<v1::DeleteMatricesResponse> {
        VRP_RETURN_IF_ERROR(stores_.solve_jobs.CheckUnused(request->name()));
        return vrp::DeleteMatrices(stores_.matrices, *request);
      });
}

// Lines are checked by the patient pool: an upload of a gigabyte takes a thread for minutes.
grpc::ServerReadReactor<Received<v1::UploadDatasetRequest>>* DatasetService::Upload(
    grpc::CallbackServerContext& call, v1::Dataset& response) {
  const auto import = std::make_shared<DatasetImport>(stores_.datasets, context_.messages);
  return UploadCall<v1::UploadDatasetRequest, v1::Dataset>::Start(
      call, response,
      {.pool = &context_.patient_pool,
       .hub = &context_.streams,
       .messages = &context_.messages,
       .take = [import](const v1::UploadDatasetRequest& message) { return import->Take(message); },
       .finish = [import] { return import->Finish(); }});
}

grpc::ServerUnaryReactor* DatasetService::ListDatasets(grpc::CallbackServerContext* context,
                                                       const v1::ListDatasetsRequest*,
                                                       v1::ListDatasetsResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response, [this](const CallContext&) {
    return absl::StatusOr<v1::ListDatasetsResponse>(vrp::ListDatasets(stores_.datasets));
  });
}

grpc::ServerUnaryReactor* DatasetService::GetDataset(grpc::CallbackServerContext* context,
                                                     const v1::GetDatasetRequest* request,
                                                     v1::Dataset* response) {
  return RunUnary(*context, context_.quick_pool, *response, [this, request](const CallContext&) {
    return vrp::GetDataset(stores_.datasets, *request);
  });
}

grpc::ServerUnaryReactor* DatasetService::DeleteDataset(grpc::CallbackServerContext* context,
                                                        const v1::DeleteDatasetRequest* request,
                                                        v1::DeleteDatasetResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response, [this, request](const CallContext&) {
    return vrp::DeleteDataset(stores_.training_jobs, *request);
  });
}

grpc::ServerUnaryReactor* SystemService::GetServerInfo(grpc::CallbackServerContext* context,
                                                       const v1::GetServerInfoRequest*,
                                                       v1::ServerInfo* response) {
  return RunUnary(*context, context_.quick_pool, *response, [this](const CallContext&) {
    return absl::StatusOr<v1::ServerInfo>(DescribeServer(facts_));
  });
}

grpc::ServerUnaryReactor* SystemService::GetServerStats(grpc::CallbackServerContext* context,
                                                        const v1::GetServerStatsRequest*,
                                                        v1::ServerStats* response) {
  return RunUnary(*context, context_.quick_pool, *response, [this](const CallContext&) {
    return DescribeStats(telemetry_, context_.clock.Now());
  });
}

grpc::ServerUnaryReactor* SystemService::SetLogLevel(grpc::CallbackServerContext* context,
                                                     const v1::SetLogLevelRequest* request,
                                                     v1::SetLogLevelResponse* response) {
  return RunUnary(*context, context_.quick_pool, *response,
                  [request](const CallContext&) { return ChangeLogLevel(*request); });
}

grpc::ServerWriteReactor<v1::BackupServerResponse>* SystemService::BackupServer(
    grpc::CallbackServerContext*, const v1::BackupServerRequest*) {
  return StreamCall<v1::BackupServerResponse>::Start(
      {.pool = &context_.patient_pool,
       .hub = &context_.streams,
       .open = [this] { return OpenBackup(backup_); },
       .heartbeat = nullptr});
}

}  // namespace vrp
