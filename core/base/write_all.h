// Writes whole texts to a file descriptor.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace vrp {

// Writes all of `content` from the descriptor's position on. Errors name `path`. Returns
// kResourceExhausted if the disk is full.
absl::Status WriteAll(int descriptor, std::string_view content, const std::string& path);

}  // namespace vrp
