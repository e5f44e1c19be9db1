// Publishes the model that a trial of a sweep keeps.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/jobs/job.h"
#include "core/jobs/state_folder.h"
#include "core/registry/registry.h"

namespace vrp {

// Publishes a copy of the trial's model as the next version of `name`. Its card names the sweep and
// the trial. Returns the existing version if the trial's model was published already. Blocks.
// Returns the errors of Registry::Publish, and kNotFound if the trial's folder has no model.
absl::StatusOr<ModelVersion> PublishTrial(Registry& registry, const StateFolder& folder,
                                          const Job& trial, std::string_view name);

}  // namespace vrp
