// Parses the syntax of VRPLIB and TSPLIB files.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/vrplib/vrplib_file.h"

namespace vrp {

// Reads keywords and sections. kInvalidArgument: `name:line: field: got ..., wanted ...`. Unknown
// keywords and sections are refused by name, so that no constraint is dropped silently. An unknown
// TYPE is refused at once, before the unknown sections that it may bring along.
absl::StatusOr<VrplibFile> ParseVrplibFile(std::string_view text, std::string_view name);

}  // namespace vrp
