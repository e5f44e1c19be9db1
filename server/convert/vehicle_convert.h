// Vehicle types and time windows as the core's. Part of InstanceFromProto.
#pragma once

#include <cstddef>

#include "core/problem/instance/vehicle.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

TimeWindow WindowFromProto(const v1::TimeWindow& window);
// Without its matrices. `dimensions`: of loads, at least the message's capacities.
VehicleType VehicleFromProto(const v1::Vehicle& vehicle, size_t dimensions);

}  // namespace vrp
