// Reads uploaded request logs for the calls that name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/request_log.h"
#include "core/dispatch/site.h"
#include "core/registry/dataset_store.h"
#include "server/service/kept_datasets.h"

namespace vrp {

// A reader that keeps the lines of the logs that were read last. Thread-safe.
class UploadedLogs {
 public:
  // `datasets` outlives the reader.
  explicit UploadedLogs(const DatasetStore& datasets);

  // Reads the request log `datasets/{name}`, whose customers are those of `site`. `field` is the
  // path of the field that names it. Blocks on the disk. Returns kInvalidArgument naming the field
  // if the dataset is no log, or naming its line if the log does not fit the site, and the errors
  // of DatasetStore::ContentPath.
  absl::StatusOr<RequestLog> Read(const std::string& name, const DispatchSite& site,
                                  const std::string& field);
  // Drops the lines of a deleted dataset.
  void Forget(std::string_view name) { kept_.Forget(name); }

 private:
  KeptDatasets<std::vector<LogLine>> kept_;
};

}  // namespace vrp
