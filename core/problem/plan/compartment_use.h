// Assigns the compartments of a vehicle to the loads of a trip.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/instance/vehicle.h"

namespace vrp {

// A compartment that a trip uses.
struct CompartmentUse {
  int32_t trip = 0;            // 0 up to the first reload, then 1 and so on
  int32_t compartment = 0;     // index into VehicleType::compartments
  int32_t load_dimension = 0;  // the only one that the compartment holds during the trip
  double load = 0;             // its part of the largest load of that dimension on the trip
};

// Returns the uses of `compartments` by a trip whose largest loads are `loads` [K], with as few
// compartments as possible, in the order of the compartments. Returns nothing if the loads do not
// fit. Takes at most O(C * 2^C) for C compartments, of which there are at most kMaxCompartments.
std::vector<CompartmentUse> AssignCompartments(std::span<const Compartment> compartments,
                                               std::span<const double> loads);

}  // namespace vrp
