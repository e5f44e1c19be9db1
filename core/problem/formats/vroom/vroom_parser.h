// Parses VROOM's JSON input.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/vroom/vroom_input.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Parses `root`, which must be an object. Returns kInvalidArgument as `name: jobs[3].service: got
// "x", wanted a number`. Also refuses, by name, unknown and unsupported keys. Ignores `options`,
// but refuses its key `c` unless the value is false.
absl::StatusOr<VroomInput> ReadVroomInput(const nlohmann::json& root, std::string_view name);

}  // namespace vrp
