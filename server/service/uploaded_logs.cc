#include "server/service/uploaded_logs.h"

#include <algorithm>
#include <utility>

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/convert/field_violation.h"

namespace vrp {
namespace {

// Bounds the memory for kept logs, to about 50 MB.
constexpr int64_t kMaxKeptRequests = 200'000;

absl::Status ErrorAt(const std::string& field, const absl::Status& status) {
  const std::string_view message = FromAbsl(status.message());
  if (absl::IsInvalidArgument(status)) return InvalidField(field, message);
  return absl::Status(status.code(), Concat(field, ": ", message));
}

}  // namespace

absl::StatusOr<RequestLog> UploadedLogs::Read(const std::string& name, const DispatchSite& site,
                                              const std::string& field) {
  const absl::StatusOr<StoredDataset> dataset = datasets_.Get(name);
  if (!dataset.ok()) return ErrorAt(field, dataset.status());
  const absl::StatusOr<Lines> lines = LinesOf(*dataset);
  if (!lines.ok()) return ErrorAt(field, lines.status());
  absl::StatusOr<RequestLog> log = LogOfSite(**lines, name, site);
  if (!log.ok()) return ErrorAt(field, log.status());
  return log;
}

absl::StatusOr<UploadedLogs::Lines> UploadedLogs::LinesOf(const StoredDataset& dataset) {
  VRP_RETURN_IF_ERROR(CheckDatasetKind(dataset, DatasetKind::kRequestLog));
  if (Lines kept = Find(dataset); kept != nullptr) return kept;
  VRP_ASSIGN_OR_RETURN(const std::string path, datasets_.ContentPath(dataset.name));
  const absl::StatusOr<std::string> text = ReadFile(path, kMaxDatasetBytes);
  // The error of the disk would reveal the path.
  if (!text.ok()) {
    return absl::UnavailableError(Concat(dataset.name, ": cannot be read now; try again"));
  }
  VRP_ASSIGN_OR_RETURN(std::vector<LogLine> parsed, ParseLogLines(*text, dataset.name));
  const auto lines = std::make_shared<const std::vector<LogLine>>(std::move(parsed));
  Keep(dataset, lines);
  return lines;
}

UploadedLogs::Lines UploadedLogs::Find(const StoredDataset& dataset) {
  absl::MutexLock lock(&mutex_);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&dataset](const KeptLog& log) {
    return log.dataset == dataset;
  });
  if (found == kept_.end()) return nullptr;
  std::rotate(found, found + 1, kept_.end());
  return kept_.back().lines;
}

void UploadedLogs::Keep(const StoredDataset& dataset, Lines lines) {
  absl::MutexLock lock(&mutex_);
  // Forget may have been called already. It is called after the deletion.
  const absl::StatusOr<StoredDataset> current = datasets_.Get(dataset.name);
  if (!current.ok() || *current != dataset) return;
  std::erase_if(kept_, [&](const KeptLog& log) { return log.dataset.name == dataset.name; });
  kept_.push_back({dataset, std::move(lines)});
  int64_t requests = 0;
  auto first = kept_.end();
  while (first != kept_.begin() &&
         requests + std::prev(first)->dataset.summary.requests <= kMaxKeptRequests) {
    --first;
    requests += first->dataset.summary.requests;
  }
  kept_.erase(kept_.begin(), first);
}

void UploadedLogs::Forget(std::string_view name) {
  absl::MutexLock lock(&mutex_);
  std::erase_if(kept_, [name](const KeptLog& log) { return log.dataset.name == name; });
}

}  // namespace vrp
