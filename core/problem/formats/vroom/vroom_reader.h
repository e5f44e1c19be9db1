// Makes instances from VROOM's input.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/vroom/vroom_input.h"
#include "core/problem/instance/instance.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Builds an instance. The depots are the distinct locations where vehicles start and end, in the
// file's order. The customers are the tasks, in the file's order, with ids `job:7`, `pickup:7` and
// `delivery:7`. The vehicle types are those of VroomVehicleGroups. VroomTravel (vroom_travel.h)
// sets distances and costs. `name` is the file's name, for errors. Returns kInvalidArgument like
// ReadVroomInput, with a line for each value out of range.
absl::StatusOr<Instance> InstanceFromVroom(const nlohmann::json& root, std::string_view name);

// Builds an instance from text like InstanceFromVroom. Also returns kInvalidArgument for malformed
// JSON.
absl::StatusOr<Instance> ParseVroom(std::string_view text, std::string_view name);

}  // namespace vrp
