// Checks the URL of map tiles that the web page may load.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace vrp {

// Returns the origin of a tile URL: "https://tiles.example:8443" for
// "https://tiles.example:8443/{z}/{x}/{y}.png". Returns kInvalidArgument unless the URL begins with
// http:// or https:// and a host, and its path has {z}, {x} and {y} and no other braces. Accepts
// only letters, digits and some punctuation, since the origin becomes part of a
// Content-Security-Policy.
absl::StatusOr<std::string> TileOrigin(std::string_view address);

}  // namespace vrp
