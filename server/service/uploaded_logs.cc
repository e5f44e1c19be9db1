#include "server/service/uploaded_logs.h"

#include "server/convert/field_violation.h"

namespace vrp {
namespace {

// Bounds the memory for kept logs, to about 50 MB.
constexpr int64_t kMaxKeptRequests = 200'000;

}  // namespace

UploadedLogs::UploadedLogs(const DatasetStore& datasets)
    : kept_(datasets, {.kind = DatasetKind::kRequestLog,
                       .size = &DatasetSummary::requests,
                       .max_size = kMaxKeptRequests,
                       .parse = ParseLogLines}) {}

absl::StatusOr<RequestLog> UploadedLogs::Read(const std::string& name, const DispatchSite& site,
                                              const std::string& field) {
  const auto lines = kept_.Use(name);
  if (!lines.ok()) return DatasetError(field, lines.status());
  absl::StatusOr<RequestLog> log = LogOfSite(**lines, name, site);
  if (!log.ok()) return DatasetError(field, log.status());
  return log;
}

}  // namespace vrp
