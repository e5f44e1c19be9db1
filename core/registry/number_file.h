// Files that hold one version number.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/staging_area.h"

namespace vrp {

// Reads a number file. Returns kNotFound if the file does not exist, and kDataLoss if the file
// holds no version number.
absl::StatusOr<int32_t> ReadNumberFile(const std::string& path);

// Writes a number file durably with StagingArea::ReplaceFile. Creates the folder and its parent if
// they are absent.
absl::Status WriteNumberFile(const std::string& path, int32_t number, StagingArea& staging);

}  // namespace vrp
