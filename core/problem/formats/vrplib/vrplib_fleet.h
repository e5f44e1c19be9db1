// Reads the vehicles of a VRPLIB file.
#pragma once

#include "absl/status/status.h"
#include "core/problem/formats/vrplib/vrplib_file.h"
#include "core/problem/formats/vrplib/vrplib_type.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// Sets the vehicles of `data` and, if they state costs, its objective. Merges only consecutive
// equal vehicles into one type, so that types keep the file's order. `data` must have its
// customers. Returns kInvalidArgument naming the keyword or section.
absl::Status ReadVrplibFleet(const VrplibFile& file, const VrplibType& type, InstanceData& data);

}  // namespace vrp
