// Converts instances to the terms of VRPLIB's files.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/vrplib/vrplib_allowed.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// An instance in the terms of VRPLIB's files. Two instances are the same problem if their forms are
// equal.
struct VrplibForm {
  // The instance without skills (see `allowed`) and without data that has no effect, such as groups
  // of one customer. Consecutive equal vehicle types are merged. Shipments are sorted by their
  // pickups. Those without an id of their own have the ids that the reader gives them.
  InstanceData data = {};
  AllowedCustomers allowed = {};
};

// Returns the form of `data`. If vehicles need rows of their own, an unlimited fleet becomes one
// vehicle for each customer. If the type needs a capacity, a capacity without limit becomes more
// than the sum of all loads. Returns kUnimplemented for vehicles with more than kMaxVrplibSets
// different sets of skills.
absl::StatusOr<VrplibForm> VrplibFormOf(InstanceData data);

// Limits the count of unlimited vehicle types to the number of customers.
void LimitFleet(InstanceData& data);

// Returns the value of TYPE for `data`, such as "TSP" or "VRPTW".
std::string_view VrplibTypeOf(const InstanceData& data);

// Returns the value of EDGE_WEIGHT_TYPE for distances that follow from the positions, or nullopt if
// such distances need a matrix. Ignores distance_matrix. FLOOR_2D needs a SCALE of 10.
std::optional<std::string_view> VrplibWeightsOf(const InstanceData& data);

// Whether any section has a row for each vehicle.
bool HasVehicleRows(const VrplibForm& form);

}  // namespace vrp
