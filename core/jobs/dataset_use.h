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

// Checks that `store` has each dataset that the configuration's training reads, with the content
// that the training needs. A null `store` has no datasets. Returns kInvalidArgument naming each
// failing key, one per line. Only the first supervised.samples lines need ref_routes, and only the
// first validation.instances lines need ref_cost.
absl::Status CheckDatasets(const TrainingConfig& config, const DatasetStore* store);

// Whether the configuration's training reads the dataset.
bool ReadsDataset(const TrainingConfig& config, std::string_view name);

// Whether the configuration's training takes its days from the dataset, a request log or a history
// of routes.
bool ReadsPastDays(const TrainingConfig& config, std::string_view name);

// Returns the paths of the datasets that the configuration's training reads, after verifying their
// digests. Errors name the key.
absl::StatusOr<DatasetPaths> FindDatasets(const TrainingConfig& config, const DatasetStore* store);

}  // namespace vrp
