// Implements the RPCs of uploaded datasets, without gRPC.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job_manager.h"
#include "core/registry/dataset_store.h"
#include "core/train/data/dataset_checker.h"
#include "server/service/stream_source.h"
#include "server/service/uploaded_histories.h"
#include "server/service/uploaded_logs.h"
#include "server/support/message_budget.h"
#include "vrp/v1/dataset_service.pb.h"

namespace vrp {

// An upload, checked as it arrives. Writes nothing after the first bad line, and removes an
// unfinished upload. Methods block on the disk. Not thread-safe.
class DatasetImport {
 public:
  // Both arguments must outlive the upload.
  DatasetImport(DatasetStore& store, MessageBudget& messages)
      : store_(store), messages_(messages) {}

  // Adds a message. Returns kInvalidArgument for a wrong message, a line that is too long, or more
  // than kMaxDatasetBytes in total. Also returns the other errors of DatasetStore::Begin and
  // DatasetUpload::Add, and those of MessageBudget::Take.
  absl::Status Take(const v1::UploadDatasetRequest& message);
  absl::StatusOr<v1::Dataset> Finish();

 private:
  absl::Status TakeHeader(const v1::UploadDatasetRequest::Header& header);
  absl::Status TakeChunk(std::string_view chunk);
  absl::Status CountBytes(std::string_view chunk);

  DatasetStore& store_;
  MessageBudget& messages_;
  MessageBudget::Share share_;             // memory of the incomplete line
  int64_t bytes_ = 0;                      // received bytes
  std::optional<DatasetChecker> checker_;  // absent before the header
  std::unique_ptr<DatasetUpload> upload_;  // null after a bad line
};

v1::ListDatasetsResponse ListDatasets(const DatasetStore& store);
absl::StatusOr<v1::Dataset> GetDataset(const DatasetStore& store,
                                       const v1::GetDatasetRequest& request);
// Opens a stream of the content. Verifies the digest first.
absl::StatusOr<std::unique_ptr<StreamSource<v1::ExportDatasetResponse>>> OpenDatasetExport(
    const DatasetStore& store, const v1::ExportDatasetRequest& request);
absl::StatusOr<v1::DeleteDatasetResponse> DeleteDataset(JobManager& jobs, UploadedLogs& logs,
                                                        UploadedHistories& histories,
                                                        const v1::DeleteDatasetRequest& request);

}  // namespace vrp
