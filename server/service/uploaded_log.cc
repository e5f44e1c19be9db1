#include "server/service/uploaded_log.h"

#include <utility>

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/convert/field_violation.h"

namespace vrp {
namespace {

absl::Status ErrorAt(const std::string& field, const absl::Status& status) {
  const std::string_view message = FromAbsl(status.message());
  if (absl::IsInvalidArgument(status)) return InvalidField(field, message);
  return absl::Status(status.code(), Concat(field, ": ", message));
}

}  // namespace

absl::StatusOr<RequestLog> ReadUploadedLog(const DatasetStore& datasets, const std::string& name,
                                           const DispatchSite& site, const std::string& field) {
  const absl::StatusOr<StoredDataset> stored = datasets.Get(name);
  if (!stored.ok()) return ErrorAt(field, stored.status());
  const absl::Status kind = CheckDatasetKind(*stored, DatasetKind::kRequestLog);
  if (!kind.ok()) return ErrorAt(field, kind);
  const absl::StatusOr<std::string> path = datasets.ContentPath(name);
  if (!path.ok()) return ErrorAt(field, path.status());
  const absl::StatusOr<std::string> text = ReadFile(*path, kMaxDatasetBytes);
  if (!text.ok()) {
    return absl::UnavailableError(Concat(field, ": ", name, ": cannot be read now; try again"));
  }
  absl::StatusOr<RequestLog> log = ParseRequestLog(*text, name, site);
  if (!log.ok()) return ErrorAt(field, log.status());
  return log;
}

}  // namespace vrp
