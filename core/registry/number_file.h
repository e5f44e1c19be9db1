// Files that hold one version's number.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/staging_area.h"

namespace vrp {

// kNotFound: there is no such file; kDataLoss: it holds something else.
absl::StatusOr<int32_t> ReadNumberFile(const std::string& path);

// Durable when it returns; makes the folder and its parent where they are absent. As
// StagingArea::ReplaceFile.
absl::Status WriteNumberFile(const std::string& path, int32_t number, StagingArea& staging);

}  // namespace vrp
