// DatasetService's uploaded datasets without gRPC.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job_manager.h"
#include "core/registry/dataset_store.h"
#include "core/train/data/dataset_checker.h"
#include "server/support/message_budget.h"
#include "vrp/v1/dataset_service.pb.h"

namespace vrp {

// One upload, checked as it arrives. Nothing is written after the first bad line, and nothing
// of an upload that is not finished is kept. Calls come one after the other, from any thread; they
// block on the disk.
class DatasetImport {
 public:
  // Both outlive it.
  DatasetImport(DatasetStore& store, MessageBudget& messages)
      : store_(store), messages_(messages) {}

  // kResourceExhausted: as of the store and the budget.
  absl::Status Take(const v1::UploadDatasetRequest& message);
  absl::StatusOr<v1::Dataset> Finish();

 private:
  absl::Status TakeHeader(const v1::UploadDatasetRequest::Header& header);
  absl::Status TakeChunk(std::string_view chunk);
  absl::Status CountBytes(std::string_view chunk);

  DatasetStore& store_;
  MessageBudget& messages_;
  MessageBudget::Share share_;             // of the line that is not whole yet
  int64_t bytes_ = 0;                      // received so far
  std::optional<DatasetChecker> checker_;  // none: no header yet
  std::unique_ptr<DatasetUpload> upload_;  // null after a bad line
};

v1::ListDatasetsResponse ListDatasets(const DatasetStore& store);
absl::StatusOr<v1::Dataset> GetDataset(const DatasetStore& store,
                                       const v1::GetDatasetRequest& request);
absl::StatusOr<v1::DeleteDatasetResponse> DeleteDataset(JobManager& jobs,
                                                        const v1::DeleteDatasetRequest& request);

}  // namespace vrp
