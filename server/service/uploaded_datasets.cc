#include "server/service/uploaded_datasets.h"

#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

constexpr size_t kMaxDatasetChunkBytes = size_t{1} << 20;
// Size of an exported chunk, less than the smallest message limit, 1 MiB.
constexpr size_t kDatasetExportBytes = size_t{1} << 19;
// Bounds the memory of a line while it is read, in multiples of its length.
constexpr int64_t kParsedSizes = 8;

v1::DatasetKind KindMessageOf(DatasetKind kind) {
  switch (kind) {
    case DatasetKind::kInstances:
      return v1::DATASET_KIND_INSTANCES;
    case DatasetKind::kRequestLog:
      return v1::DATASET_KIND_REQUEST_LOG;
    case DatasetKind::kRouteHistory:
      return v1::DATASET_KIND_ROUTE_HISTORY;
  }
  return v1::DATASET_KIND_UNSPECIFIED;
}

v1::Dataset DatasetMessageOf(const StoredDataset& stored) {
  const DatasetSummary& summary = stored.summary;
  v1::Dataset message;
  message.set_name(stored.name);
  message.set_kind(KindMessageOf(summary.kind));
  message.set_day_count(summary.days);
  message.set_request_count(summary.requests);
  message.set_route_count(summary.routes);
  message.set_stop_count(summary.stops);
  message.set_instance_count(summary.instances);
  message.set_size_bytes(stored.bytes);
  *message.mutable_create_time() = ToProto(stored.created);
  message.set_sha256(stored.sha256);
  for (const ProblemKind kind : summary.kinds) message.add_problem_types(ToProto(kind));
  message.set_min_customers(summary.min_customers);
  message.set_max_customers(summary.max_customers);
  message.set_instances_with_tours(summary.with_tours);
  message.set_instances_with_reference_cost(summary.with_reference_cost);
  for (const std::string& column : summary.feature_columns) message.add_feature_columns(column);
  return message;
}

// Returns an error about the name in a request.
absl::Status NameError(const absl::Status& status) {
  if (absl::IsInvalidArgument(status)) return InvalidField("name", FromAbsl(status.message()));
  if (!absl::IsNotFound(status)) return status;
  return absl::NotFoundError(Concat("name: ", FromAbsl(status.message())));
}

absl::Status CheckFileName(const std::string& name) {
  if (name.size() <= kMaxInstanceNameBytes && IsPrintableUtf8(name)) return absl::OkStatus();
  return InvalidField("header.file_name",
                      Concat("got ", Quoted(name), ", wanted at most ", kMaxInstanceNameBytes,
                             " bytes of printable UTF-8"));
}

// A source that sends the content of a dataset. A deletion does not end it.
class DatasetExport final : public StreamSource<v1::ExportDatasetResponse> {
 public:
  DatasetExport(std::string name, const std::string& path)
      : name_(std::move(name)), stream_(path, std::ios::binary) {}

  absl::StatusOr<std::vector<v1::ExportDatasetResponse>> Next() override {
    std::vector<v1::ExportDatasetResponse> messages;
    if (ended_) return messages;
    std::string chunk(kDatasetExportBytes, '\0');
    stream_.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    if (stream_.bad() || !stream_.is_open()) {
      return absl::UnavailableError(Concat(name_, ": its content cannot be read now; try again"));
    }
    chunk.resize(static_cast<size_t>(stream_.gcount()));
    ended_ = stream_.eof();
    messages.emplace_back().set_chunk(std::move(chunk));
    return messages;
  }
  bool AtEnd() const override { return ended_; }
  // Calls `on_ready` at once, because Next returns no messages only at the end.
  void NotifyWhenReady(std::function<void()> on_ready) override { on_ready(); }

 private:
  const std::string name_;
  std::ifstream stream_;
  bool ended_ = false;
};

}  // namespace

absl::Status DatasetImport::Take(const v1::UploadDatasetRequest& message) {
  if (message.has_header()) return TakeHeader(message.header());
  if (!message.has_chunk()) return InvalidField("part", "absent, wanted a header or a chunk");
  if (!checker_.has_value())
    return InvalidField("header", "absent, wanted a header before any chunk");
  return TakeChunk(message.chunk());
}

absl::Status DatasetImport::TakeHeader(const v1::UploadDatasetRequest::Header& header) {
  if (checker_.has_value()) return InvalidField("header", "given twice, wanted one header");
  VRP_RETURN_IF_ERROR(CheckFileName(header.file_name()));
  absl::StatusOr<std::unique_ptr<DatasetUpload>> upload =
      store_.Begin(header.name(), header.size_bytes());
  if (!upload.ok()) return WithField(upload.status());
  upload_ = *std::move(upload);
  checker_.emplace(header.file_name().empty() ? header.name() : header.file_name());
  return absl::OkStatus();
}

absl::Status DatasetImport::TakeChunk(std::string_view chunk) {
  if (chunk.size() > kMaxDatasetChunkBytes) {
    return InvalidField(
        "chunk", Concat("has ", chunk.size(), " bytes, wanted at most ", kMaxDatasetChunkBytes));
  }
  VRP_RETURN_IF_ERROR(CountBytes(chunk));
  const int64_t needed_bytes = kParsedSizes * checker_->BufferedBytes(chunk.size());
  if (needed_bytes != share_.bytes()) {
    share_ = {};
    VRP_ASSIGN_OR_RETURN(share_, messages_.Take(needed_bytes));
  }
  if (const absl::Status checked = checker_->Add(chunk); !checked.ok()) return WithField(checked);
  if (!checker_->valid()) upload_ = nullptr;
  return upload_ == nullptr ? absl::OkStatus() : WithField(upload_->Add(chunk));
}

absl::Status DatasetImport::CountBytes(std::string_view chunk) {
  // Also counts bytes here, because after a bad line no chunk reaches the store.
  bytes_ += static_cast<int64_t>(chunk.size());
  if (bytes_ <= kMaxDatasetBytes) return absl::OkStatus();
  return InvalidField("chunk", Concat("got more than ", kMaxDatasetBytes,
                                      " bytes in total, the limit of a dataset"));
}

absl::StatusOr<v1::Dataset> DatasetImport::Finish() {
  if (!checker_.has_value()) return InvalidField("header", "absent, wanted a header and chunks");
  if (const absl::Status checked = checker_->Finish(); !checked.ok()) return WithField(checked);
  VRP_ASSIGN_OR_RETURN(const StoredDataset stored, upload_->Finish(checker_->summary()));
  return DatasetMessageOf(stored);
}

v1::ListDatasetsResponse ListDatasets(const DatasetStore& store) {
  v1::ListDatasetsResponse response;
  for (const StoredDataset& stored : store.List())
    *response.add_datasets() = DatasetMessageOf(stored);
  return response;
}

absl::StatusOr<v1::Dataset> GetDataset(const DatasetStore& store,
                                       const v1::GetDatasetRequest& request) {
  const absl::StatusOr<StoredDataset> stored = store.Get(request.name());
  if (!stored.ok()) return NameError(stored.status());
  return DatasetMessageOf(*stored);
}

absl::StatusOr<std::unique_ptr<StreamSource<v1::ExportDatasetResponse>>> OpenDatasetExport(
    const DatasetStore& store, const v1::ExportDatasetRequest& request) {
  const absl::StatusOr<std::string> path = store.ContentPath(request.name());
  if (!path.ok()) return NameError(path.status());
  return std::make_unique<DatasetExport>(request.name(), *path);
}

absl::StatusOr<v1::DeleteDatasetResponse> DeleteDataset(JobManager& jobs, UploadedLogs& logs,
                                                        UploadedHistories& histories,
                                                        const v1::DeleteDatasetRequest& request) {
  const absl::StatusOr<DatasetDeletion> deletion = jobs.DeleteDataset(request.name());
  if (!deletion.ok()) return NameError(deletion.status());
  logs.Forget(request.name());
  histories.Forget(request.name());
  v1::DeleteDatasetResponse response;
  response.set_deleted_label_count(deletion->labels);
  const auto assign = [](const std::vector<std::string>& names, auto* target) {
    target->Assign(names.begin(), names.end());
  };
  assign(deletion->simulations, response.mutable_deleted_simulations());
  assign(deletion->training_jobs, response.mutable_deleted_training_jobs());
  assign(deletion->kept_models, response.mutable_kept_models());
  return response;
}

}  // namespace vrp
