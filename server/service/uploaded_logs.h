// Reads uploaded request logs for the calls that name them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/dispatch/request_log.h"
#include "core/dispatch/site.h"
#include "core/registry/dataset_store.h"

namespace vrp {

// A reader that keeps the lines of the logs that were read last, because decisions have little time
// to parse a long log. Thread-safe.
class UploadedLogs {
 public:
  // `datasets` outlives the reader.
  explicit UploadedLogs(const DatasetStore& datasets) : datasets_(datasets) {}

  // Reads the request log `datasets/{name}`, whose customers are those of `site`. `field` is the
  // path of the field that names it. Blocks on the disk. Returns kInvalidArgument naming the field
  // if the dataset is no log, or naming its line if the log does not fit the site, and the errors
  // of DatasetStore::ContentPath.
  absl::StatusOr<RequestLog> Read(const std::string& name, const DispatchSite& site,
                                  const std::string& field);
  // Drops the lines of a deleted dataset.
  void Forget(std::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Lines = std::shared_ptr<const std::vector<LogLine>>;
  struct KeptLog {
    StoredDataset dataset;
    Lines lines;
  };

  absl::StatusOr<Lines> LinesOf(const StoredDataset& dataset) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the kept lines, or null.
  Lines Find(const StoredDataset& dataset) ABSL_LOCKS_EXCLUDED(mutex_);
  void Keep(const StoredDataset& dataset, Lines lines) ABSL_LOCKS_EXCLUDED(mutex_);

  const DatasetStore& datasets_;
  absl::Mutex mutex_;
  std::vector<KeptLog> kept_ ABSL_GUARDED_BY(mutex_);  // the one that was used last comes last
};

}  // namespace vrp
