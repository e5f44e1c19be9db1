// What a VRPLIB file says of its vehicles.
#pragma once

#include "absl/status/status.h"
#include "core/problem/formats/vrplib/vrplib_file.h"
#include "core/problem/formats/vrplib/vrplib_type.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// Vehicles and, where they cost something, the objective. Equal vehicles that follow each other are
// one type, so that the order of the file stays. kInvalidArgument names the keyword or section.
// `data` has its customers.
absl::Status ReadVrplibFleet(const VrplibFile& file, const VrplibType& type, InstanceData& data);

}  // namespace vrp
