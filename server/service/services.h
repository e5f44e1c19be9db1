// The gRPC services: each method hands its request to a pool, calls the handler, maps the status.
// See the handlers for what they do. (SolverService: solver_service.h; ModelService:
// model_service.h.)
#pragma once

#include <functional>

#include "core/jobs/backup/snapshot.h"
#include "core/jobs/job_manager.h"
#include "core/registry/dataset_store.h"
#include "core/registry/matrix_store.h"
#include "grpcpp/support/server_callback.h"
#include "server/service/receive.h"
#include "server/service/service_context.h"
#include "server/service/solve_job_handler.h"
#include "server/service/system_handler.h"
#include "server/service/training_handler.h"
#include "server/telemetry/telemetry.h"
#include "vrp/v1/dataset_service.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp {

class TrainingService final : public ReceivingService<v1::TrainingService> {
 public:
  TrainingService(const ServiceContext& context, const TrainingHandler& handler);
  grpc::ServerUnaryReactor* CreateTrainingJob(grpc::CallbackServerContext* context,
                                              const v1::CreateTrainingJobRequest* request,
                                              v1::TrainingJob* response) override;
  grpc::ServerUnaryReactor* GetTrainingJob(grpc::CallbackServerContext* context,
                                           const v1::GetTrainingJobRequest* request,
                                           v1::TrainingJob* response) override;
  grpc::ServerUnaryReactor* ListTrainingJobs(grpc::CallbackServerContext* context,
                                             const v1::ListTrainingJobsRequest* request,
                                             v1::ListTrainingJobsResponse* response) override;
  grpc::ServerUnaryReactor* CancelTrainingJob(grpc::CallbackServerContext* context,
                                              const v1::CancelTrainingJobRequest* request,
                                              v1::TrainingJob* response) override;
  grpc::ServerUnaryReactor* StopTrainingJob(grpc::CallbackServerContext* context,
                                            const v1::StopTrainingJobRequest* request,
                                            v1::TrainingJob* response) override;
  grpc::ServerUnaryReactor* PauseTrainingJob(grpc::CallbackServerContext* context,
                                             const v1::PauseTrainingJobRequest* request,
                                             v1::TrainingJob* response) override;
  grpc::ServerUnaryReactor* ResumeTrainingJob(grpc::CallbackServerContext* context,
                                              const v1::ResumeTrainingJobRequest* request,
                                              v1::TrainingJob* response) override;
  grpc::ServerUnaryReactor* DeleteTrainingJob(grpc::CallbackServerContext* context,
                                              const v1::DeleteTrainingJobRequest* request,
                                              v1::DeleteTrainingJobResponse* response) override;
  grpc::ServerUnaryReactor* PublishTrainingJob(grpc::CallbackServerContext* context,
                                               const v1::PublishTrainingJobRequest* request,
                                               v1::PublishTrainingJobResponse* response) override;
  grpc::ServerUnaryReactor* GetTrainingHistory(grpc::CallbackServerContext* context,
                                               const v1::GetTrainingHistoryRequest* request,
                                               v1::GetTrainingHistoryResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchTrainingJobResponse>* WatchTrainingJob(
      grpc::CallbackServerContext* context, const v1::WatchTrainingJobRequest* request) override;

 private:
  const ServiceContext context_;
  const TrainingHandler& handler_;
};

class DatasetService final : public ReceivingService<v1::DatasetService> {
 public:
  // The stores of what callers upload. All outlive the service.
  struct Stores {
    MatrixStore& matrices;
    DatasetStore& datasets;
    // Report which matrices and datasets are in use.
    const SolveJobHandler& solve_jobs;
    JobManager& training_jobs;
  };
  DatasetService(const ServiceContext& context, const Stores& stores, int32_t max_nodes);
  grpc::ServerWriteReactor<v1::GenerateInstancesResponse>* GenerateInstances(
      grpc::CallbackServerContext* context, const v1::GenerateInstancesRequest* request) override;
  grpc::ServerUnaryReactor* ListMatrices(grpc::CallbackServerContext* context,
                                         const v1::ListMatricesRequest* request,
                                         v1::ListMatricesResponse* response) override;
  grpc::ServerUnaryReactor* DeleteMatrices(grpc::CallbackServerContext* context,
                                           const v1::DeleteMatricesRequest* request,
                                           v1::DeleteMatricesResponse* response) override;
  grpc::ServerUnaryReactor* ListDatasets(grpc::CallbackServerContext* context,
                                         const v1::ListDatasetsRequest* request,
                                         v1::ListDatasetsResponse* response) override;
  grpc::ServerUnaryReactor* GetDataset(grpc::CallbackServerContext* context,
                                       const v1::GetDatasetRequest* request,
                                       v1::Dataset* response) override;
  grpc::ServerUnaryReactor* DeleteDataset(grpc::CallbackServerContext* context,
                                          const v1::DeleteDatasetRequest* request,
                                          v1::DeleteDatasetResponse* response) override;

 private:
  // UploadMatrices.
  grpc::ServerReadReactor<Received<v1::UploadMatricesRequest>>* Upload(
      grpc::CallbackServerContext& call, v1::Matrices& response);
  // UploadDataset.
  grpc::ServerReadReactor<Received<v1::UploadDatasetRequest>>* Upload(
      grpc::CallbackServerContext& call, v1::Dataset& response);

  const ServiceContext context_;
  const Stores stores_;
  const int32_t max_nodes_;
};

class SystemService final : public ReceivingService<v1::SystemService> {
 public:
  SystemService(const ServiceContext& context, SystemFacts facts, const Telemetry& telemetry,
                BackupSources backup);
  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* context,
                                          const v1::GetServerInfoRequest* request,
                                          v1::ServerInfo* response) override;
  grpc::ServerUnaryReactor* GetServerStats(grpc::CallbackServerContext* context,
                                           const v1::GetServerStatsRequest* request,
                                           v1::ServerStats* response) override;
  grpc::ServerUnaryReactor* SetLogLevel(grpc::CallbackServerContext* context,
                                        const v1::SetLogLevelRequest* request,
                                        v1::SetLogLevelResponse* response) override;
  grpc::ServerWriteReactor<v1::BackupServerResponse>* BackupServer(
      grpc::CallbackServerContext* context, const v1::BackupServerRequest* request) override;

 private:
  const ServiceContext context_;
  const SystemFacts facts_;
  const Telemetry& telemetry_;
  const BackupSources backup_;
};

}  // namespace vrp
