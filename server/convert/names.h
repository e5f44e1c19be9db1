// Parses and builds resource names: trainingJobs/{id}, solveJobs/{id}, simulations/{id},
// sweeps/{id}, models/{name}, models/{name}/versions/{n}, models/{name}/aliases/{alias}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/jobs/job.h"
#include "core/registry/model_folder.h"

namespace vrp {

std::string ModelVersionName(std::string_view name, int32_t version);

// Returns the id in a job's name. This function and those below return kInvalidArgument naming
// `field`, such as `name: got "x", wanted trainingJobs/{id}`.
absl::StatusOr<std::string> ParseJobName(JobKind kind, std::string_view field,
                                         std::string_view name);
// Parses the name of a model, a version or an alias.
absl::StatusOr<ModelReference> ParseModelName(std::string_view field, std::string_view name);
// Parses a name, which must be models/{name}/versions/{n}.
absl::StatusOr<ModelReference> ParseVersionName(std::string_view field, std::string_view name);
// Parses a name, which must be models/{name}/aliases/{alias}.
absl::StatusOr<ModelReference> ParseAliasName(std::string_view field, std::string_view name);

}  // namespace vrp
