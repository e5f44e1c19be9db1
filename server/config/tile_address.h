// Checks the address of map tiles that the web page may load.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace vrp {

// Returns the origin of a tile address: "https://tiles.example:8443" for
// "https://tiles.example:8443/{z}/{x}/{y}.png". Returns kInvalidArgument unless the address begins
// with http:// or https:// and its path has {z}, {x} and {y} and no other braces. Other characters
// than those of URLs are refused, since the origin becomes part of a Content-Security-Policy.
absl::StatusOr<std::string> TileOrigin(std::string_view address);

}  // namespace vrp
