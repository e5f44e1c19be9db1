// The folders that models are looked for in, taken together. Stateless; thread-safe; blocks on the
// disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/model_folder.h"

namespace vrp {

// All usable versions in `roots`, by name, newest version first. Where a version is there twice,
// that of the first root counts, and the other is a problem.
ModelFolderScan ScanAll(const std::vector<std::string>& roots);

// Numbers in all folders `roots`, usable or not, newest first; empty: no such model.
std::vector<int32_t> AllVersionNumbers(const std::vector<std::string>& roots,
                                       std::string_view name);

// Reads one version from the first root where it is usable. kFailedPrecondition says why it is
// nowhere.
absl::StatusOr<ModelVersion> ReadFirst(const std::vector<std::string>& roots, std::string_view name,
                                       int32_t version);

// kNotFound, with the names that there are.
absl::Status NoSuchModel(const std::vector<std::string>& roots, std::string_view name);

// kFailedPrecondition: running jobs have published all of the model's versions live.
absl::Status OnlyLiveVersions(std::string_view name, int32_t newest);

}  // namespace vrp
