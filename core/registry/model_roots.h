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
// version, uses the first root's and reports the other one as a problem.
ModelFolderScan ScanAll(const std::vector<std::string>& roots);

// Returns the version numbers in all `roots`, usable or not, newest first. Returns none if there is
// no such model.
std::vector<int32_t> AllVersionNumbers(const std::vector<std::string>& roots,
                                       std::string_view name);

// Reads one version from the first root in which it is usable. If there is none, returns
// kFailedPrecondition with the reason.
absl::StatusOr<ModelVersion> ReadFirst(const std::vector<std::string>& roots, std::string_view name,
                                       int32_t version);

// Returns kNotFound with the names of the existing models.
absl::Status NoSuchModel(const std::vector<std::string>& roots, std::string_view name);

// Returns kFailedPrecondition, because running jobs published all versions of the model, so all are
// live.
absl::Status OnlyLiveVersions(std::string_view name, int32_t newest);

}  // namespace vrp
