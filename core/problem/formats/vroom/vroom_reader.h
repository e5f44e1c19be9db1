// VROOM's input as an instance.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/vroom/vroom_input.h"
#include "core/problem/instance/instance.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Nodes: the distinct places where vehicles start and end, in their order, then the tasks in that
// of `input`; ids are `job:7`, `pickup:7`, `delivery:7`. Vehicle types: VroomVehicleGroups. VROOM's
// cost is that of travel, so the instance's distance is what travel costs: seconds by default.
// kInvalidArgument as of ReadVroomInput.
absl::StatusOr<Instance> InstanceFromVroom(const nlohmann::json& root, std::string_view name);

// Reads VROOM's input from text.
absl::StatusOr<Instance> ParseVroom(std::string_view text, std::string_view name);

}  // namespace vrp
