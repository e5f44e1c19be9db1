// The file that describes a dataset.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/registry/dataset_store.h"

namespace vrp {

// Returns `dataset` as JSON, without its name.
std::string WriteDatasetFile(const StoredDataset& dataset);
// Parses a dataset file. Returns kDataLoss if the text is malformed. Returns kFailedPrecondition if
// its schema_version is later than this program's.
absl::StatusOr<StoredDataset> ParseDatasetFile(std::string_view text, std::string name);

}  // namespace vrp
