// The datasets that training jobs read.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/dataset_store.h"
#include "core/train/data_files.h"
#include "core/train/training_config.h"

namespace vrp {

// kInvalidArgument names each key whose dataset `store` (null: there are none) does not have, or
// whose dataset does not have what the configuration needs of it, a line each.
absl::Status CheckDatasets(const TrainingConfig& config, const DatasetStore* store);

bool ReadsDataset(const TrainingConfig& config, std::string_view name);

// Where the configuration's datasets lie; their content was read and is what was uploaded. Errors
// name the key.
absl::StatusOr<DatasetPaths> FindDatasets(const TrainingConfig& config, const DatasetStore* store);

}  // namespace vrp
