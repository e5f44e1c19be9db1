// Parses the syntax of VRPLIB and TSPLIB files.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/vrplib/vrplib_file.h"

namespace vrp {

// Reads keywords and sections. Returns kInvalidArgument as `name:line: field: got ..., wanted ...`.
// Refuses unknown keywords and sections by name, so that no constraint is dropped silently. Refuses
// an unknown TYPE before the unknown sections that may follow it.
absl::StatusOr<VrplibFile> ParseVrplibFile(std::string_view text, std::string_view name);

}  // namespace vrp
