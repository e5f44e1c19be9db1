// Reads one vehicle of VROOM's JSON input.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/problem/formats/json/json_fields.h"
#include "core/problem/formats/vroom/vroom_input.h"

namespace vrp {

// Reads one vehicle, whose path is `path`, such as `v.json: vehicles[3]`. Returns kInvalidArgument
// for wrong and unsupported values. Does not refuse unknown keys of the vehicle itself.
absl::StatusOr<VroomVehicle> ReadVroomVehicle(JsonFields& fields, const std::string& path);

}  // namespace vrp
