// Reads models from several folders (roots) at once. Stateless; thread-safe; blocks on the disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/model_folder.h"

namespace vrp {

// Returns all usable versions in `roots`, by name, newest version first. If two roots have the same
// version, the first root's counts and the other is reported as a problem.
ModelFolderScan ScanAll(const std::vector<std::string>& roots);

// Returns the version numbers in all `roots`, usable or not, newest first; empty if there is no
// such model.
std::vector<int32_t> AllVersionNumbers(const std::vector<std::string>& roots,
                                       std::string_view name);

// Reads one version from the first root in which it is usable. kFailedPrecondition says why it is
// usable in none.
absl::StatusOr<ModelVersion> ReadFirst(const std::vector<std::string>& roots, std::string_view name,
                                       int32_t version);

// Returns kNotFound with the names of the existing models.
absl::Status NoSuchModel(const std::vector<std::string>& roots, std::string_view name);

// Returns kFailedPrecondition: all versions of the model are live ones, published by running jobs.
absl::Status OnlyLiveVersions(std::string_view name, int32_t newest);

}  // namespace vrp
