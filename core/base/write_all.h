// Writing to a descriptor until all is written.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace vrp {

// All of `content`, from the descriptor's position on. `path` is for errors: kResourceExhausted
// where the disk is full.
absl::Status WriteAll(int descriptor, std::string_view content, const std::string& path);

}  // namespace vrp
