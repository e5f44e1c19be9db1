// The file that says what a dataset holds.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/registry/dataset_store.h"

namespace vrp {

// JSON of all but the name.
std::string WriteDatasetFile(const StoredDataset& dataset);
// kDataLoss for anything that WriteDatasetFile did not write; a later schema_version says so.
absl::StatusOr<StoredDataset> ParseDatasetFile(std::string_view text, std::string name);

}  // namespace vrp
