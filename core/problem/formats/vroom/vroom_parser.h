// Parses VROOM's JSON input.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/vroom/vroom_input.h"
#include "nlohmann/json.hpp"

namespace vrp {

// `root` must be an object. kInvalidArgument: `name: jobs[3].service: got "x", wanted a number`.
// Keys that change the problem and that this program does not know are refused by name.
absl::StatusOr<VroomInput> ReadVroomInput(const nlohmann::json& root, std::string_view name);

}  // namespace vrp
