// An instance in the terms of VRPLIB's files.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/vrplib/vrplib_allowed.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// Two instances are the same problem if their forms are equal.
struct VrplibForm {
  // The instance without skills (see `allowed`) and without what changes nothing, such as groups of
  // one customer. Equal vehicle types that follow each other are one. Shipments are sorted by their
  // pickups and have the ids that the reader gives them, unless they have their own.
  InstanceData data = {};
  AllowedCustomers allowed = {};
};

// Returns the form of `data`. If vehicles need rows of their own, an unlimited fleet becomes one
// vehicle for each customer. If the type needs a capacity, a capacity without limit becomes more
// than all loads together. kUnimplemented for more sets of customers than the reader accepts.
absl::StatusOr<VrplibForm> VrplibFormOf(InstanceData data);

// Limits the count of vehicle types without limit to the number of customers.
void LimitFleet(InstanceData& data);

// Returns the value of TYPE for `data`: "TSP", "VRPTW", ...
std::string_view VrplibTypeOf(const InstanceData& data);

// Returns the value of EDGE_WEIGHT_TYPE for distances that follow from the positions, or nullopt if
// they need a matrix. FLOOR_2D needs a SCALE of 10.
std::optional<std::string_view> VrplibWeightsOf(const InstanceData& data);

// Whether some section has a row for each vehicle.
bool HasVehicleRows(const VrplibForm& form);

}  // namespace vrp
