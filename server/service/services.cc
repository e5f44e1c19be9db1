#include "server/service/services.h"

#include <memory>

#include "core/base/status_macros.h"
#include "server/service/backup_source.h"
#include "server/service/dataset_handler.h"
#include "server/service/heartbeat.h"
#include "server/service/matrix_handler.h"
#include "server/service/stats_handler.h"
#include "server/service/uploaded_datasets.h"

namespace vrp {

TrainingService::TrainingService(const ServiceContext& context, const TrainingHandler& handler)
    : RpcService(context) {
  Unary(handler, &TrainingHandler::Create);
  Unary(handler, &TrainingHandler::Get);
  Unary(handler, &TrainingHandler::List);
  Unary(handler, &TrainingHandler::Cancel);
  Unary(handler, &TrainingHandler::Stop);
  Unary(handler, &TrainingHandler::Pause);
  Unary(handler, &TrainingHandler::Resume);
  Unary(handler, &TrainingHandler::Delete);
  Unary(handler, &TrainingHandler::Publish);
  Unary(handler, &TrainingHandler::GetHistory);
  Stream(handler, &TrainingHandler::Watch,
         [&handler, &clock = context.clock](const v1::WatchTrainingJobRequest& request) {
           return HeartbeatOf<v1::WatchTrainingJobResponse>(
               clock, [&handler, name = request.name()] { return handler.QueuePosition(name); });
         });
}

DatasetService::DatasetService(const ServiceContext& context, const Stores& stores,
                               int32_t max_nodes)
    : RpcService(context) {
  Stream<v1::GenerateInstancesRequest, v1::GenerateInstancesResponse>(
      [max_nodes](const v1::GenerateInstancesRequest& request) {
        return OpenGenerator(request, max_nodes);
      });

  Upload<v1::UploadMatricesRequest, v1::Matrices>(
      [&store = stores.matrices, &messages = context.messages] {
        return std::make_shared<MatrixImport>(store, messages);
      });
  Unary<v1::ListMatricesRequest, v1::ListMatricesResponse>(
      [&store = stores.matrices](const v1::ListMatricesRequest&) {
        return vrp::ListMatrices(store);
      });
  Unary<v1::DeleteMatricesRequest, v1::DeleteMatricesResponse>(
      [stores](
          const v1::DeleteMatricesRequest& request) -> absl::StatusOr<v1::DeleteMatricesResponse> {
        VRP_RETURN_IF_ERROR(stores.solve_jobs.CheckUnused(request.name()));
        return vrp::DeleteMatrices(stores.matrices, request);
      });

  Upload<v1::UploadDatasetRequest, v1::Dataset>(
      [&store = stores.datasets, &messages = context.messages] {
        return std::make_shared<DatasetImport>(store, messages);
      });
  Unary<v1::ListDatasetsRequest, v1::ListDatasetsResponse>(
      [&store = stores.datasets](const v1::ListDatasetsRequest&) {
        return vrp::ListDatasets(store);
      });
  Unary<v1::GetDatasetRequest, v1::Dataset>(
      [&store = stores.datasets](const v1::GetDatasetRequest& request) {
        return vrp::GetDataset(store, request);
      });
  Stream<v1::ExportDatasetRequest, v1::ExportDatasetResponse>(
      [&store = stores.datasets](const v1::ExportDatasetRequest& request) {
        return OpenDatasetExport(store, request);
      });
  Unary<v1::DeleteDatasetRequest, v1::DeleteDatasetResponse>(
      [stores](const v1::DeleteDatasetRequest& request) {
        return vrp::DeleteDataset(stores.training_jobs, stores.logs, stores.histories, request);
      });
}

SystemService::SystemService(const ServiceContext& context, const SystemFacts& facts,
                             const Telemetry& telemetry, const BackupSources& backup)
    : RpcService(context) {
  Unary<v1::GetServerInfoRequest, v1::ServerInfo>(
      [facts](const v1::GetServerInfoRequest&) { return DescribeServer(facts); });
  Unary<v1::GetServerStatsRequest, v1::ServerStats>(
      [&telemetry, &clock = context.clock](const v1::GetServerStatsRequest&) {
        return DescribeStats(telemetry, clock.Now());
      });
  Unary<v1::SetLogLevelRequest, v1::SetLogLevelResponse>(ChangeLogLevel);
  Stream<v1::BackupServerRequest, v1::BackupServerResponse>(
      [backup](const v1::BackupServerRequest&) { return OpenBackup(backup); });
}

}  // namespace vrp
