// Deletes datasets together with what was derived from them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/jobs/job_book.h"
#include "core/registry/dataset_store.h"
#include "core/registry/registry.h"

namespace vrp {

// The data that a deletion removed in addition to the dataset, and the models that stay.
struct DatasetDeletion {
  int64_t labels = 0;                           // number of files
  std::vector<std::string> simulations = {};    // `simulations/{id}`
  std::vector<std::string> training_jobs = {};  // `trainingJobs/{id}`
  std::vector<std::string> kept_models = {};    // `models/{name}/versions/{n}`, trained on it
};

// Deletes the dataset `datasets/{name}` and what holds parts of it: the labels that were made from
// it, the simulations that read it, and the training jobs that read it as a request log or a
// history of routes, with their events, checkpoints and curves. Training jobs that read instances
// hold none of them and stay, as published models do. The dataset itself goes last, so that the
// call can be repeated after a crash. The caller holds book.dataset_uses(). Blocks on the disk.
// Returns the errors of DatasetStore::Delete, and kFailedPrecondition naming a job that reads the
// dataset and has not ended; nothing is deleted then.
absl::StatusOr<DatasetDeletion> DeleteDatasetWithDerived(const JobBook& book,
                                                         const Registry& registry,
                                                         DatasetStore& datasets,
                                                         std::string_view name);

}  // namespace vrp
