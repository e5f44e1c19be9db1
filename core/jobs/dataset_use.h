// The datasets that training jobs read.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/dataset_store.h"
#include "core/train/config/data_files.h"
#include "core/train/config/training_config.h"

namespace vrp {

// kInvalidArgument names each key whose dataset `store` (null: there are none) does not have, or
// whose dataset does not have what the configuration needs of it, a line each. As of a file, only
// the first supervised.samples lines need ref_routes, and only the first validation.instances lines
// need ref_cost.
absl::Status CheckDatasets(const TrainingConfig& config, const DatasetStore* store);

// Whether the configuration's training reads the dataset.
bool ReadsDataset(const TrainingConfig& config, std::string_view name);

// Finds the paths of the configuration's datasets, and checks that their content is what was
// uploaded. Errors name the key.
absl::StatusOr<DatasetPaths> FindDatasets(const TrainingConfig& config, const DatasetStore* store);

}  // namespace vrp
