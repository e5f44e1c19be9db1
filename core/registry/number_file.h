// Files that hold one version number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/staging_area.h"

namespace vrp {

// Reads a number file. Returns kNotFound if the file does not exist. Returns kDataLoss, whose text
// ends with `remedy`, if the file holds no version number.
absl::StatusOr<int32_t> ReadNumberFile(const std::string& path, std::string_view remedy);

// Writes a number file durably with StagingArea::ReplaceFile. Creates the folder and its parent if
// they are absent.
absl::Status WriteNumberFile(const std::string& path, int32_t number, StagingArea& staging);

}  // namespace vrp
