// Connects each RPC of TrainingService, DatasetService and SystemService with its handler.
#pragma once

#include "core/jobs/backup/snapshot.h"
#include "core/jobs/job_manager.h"
#include "core/registry/dataset_store.h"
#include "core/registry/matrix_store.h"
#include "server/service/rpc_service.h"
#include "server/service/service_context.h"
#include "server/service/solve_job_handler.h"
#include "server/service/system_handler.h"
#include "server/service/training_handler.h"
#include "server/service/uploaded_histories.h"
#include "server/service/uploaded_logs.h"
#include "server/telemetry/telemetry.h"
#include "vrp/v1/dataset_service.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp {

class TrainingService final : public RpcService<v1::TrainingService> {
 public:
  TrainingService(const ServiceContext& context, const TrainingHandler& handler);
};

class DatasetService final : public RpcService<v1::DatasetService> {
 public:
  // The stores of uploaded data. All outlive the service.
  struct Stores {
    MatrixStore& matrices;
    DatasetStore& datasets;
    // The next two report which matrices and datasets are in use.
    const SolveJobHandler& solve_jobs;
    JobManager& training_jobs;
    UploadedLogs& logs;
    UploadedHistories& histories;
  };
  DatasetService(const ServiceContext& context, const Stores& stores, int32_t max_nodes);
};

class SystemService final : public RpcService<v1::SystemService> {
 public:
  // `telemetry` outlives the service.
  SystemService(const ServiceContext& context, const SystemFacts& facts, const Telemetry& telemetry,
                const BackupSources& backup);
};

}  // namespace vrp
