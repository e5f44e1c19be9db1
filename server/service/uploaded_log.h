// Reads uploaded request logs for the calls that name them.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/dispatch/request_log.h"
#include "core/dispatch/site.h"
#include "core/registry/dataset_store.h"

namespace vrp {

// Reads the request log `datasets/{name}`, whose customers are those of `site`. `field` is the path
// of the field that names it. Blocks on the disk. Returns kInvalidArgument naming the field if the
// dataset is no log, or naming its line if the log does not fit the site, and the errors of
// DatasetStore::ContentPath.
absl::StatusOr<RequestLog> ReadUploadedLog(const DatasetStore& datasets, const std::string& name,
                                           const DispatchSite& site, const std::string& field);

}  // namespace vrp
