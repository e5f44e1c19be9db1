// What an instance says, in the words that VRPLIB's files have for it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

inline constexpr std::string_view kVrplibFormat = "CVRPLIB's format";  // in errors

// Two instances are the same problem where their forms are equal.
struct VrplibForm {
  // Without what changes nothing: skills that all have or nobody asks for, groups of one customer.
  // Vehicle types that follow one another and are equal are one, shipments stand in the order of
  // their pickups and are called as the reader calls them, unless they have another name.
  InstanceData data = {};
  // In place of skills: sets of customers, the numbers growing, and which of them the vehicles of
  // each type may serve. One set, of all customers, where there are no skills.
  std::vector<std::vector<NodeIndex>> allowed = {};
  std::vector<size_t> allowed_of_type = {};
};

// Where rows for each vehicle are needed, an unlimited fleet is one vehicle for each customer;
// where the type needs a capacity, one without limit is more than there is to carry. kUnimplemented
// for more sets of customers than the reader takes.
absl::StatusOr<VrplibForm> VrplibFormOf(InstanceData data);

// One vehicle for each customer is as good as no limit.
void LimitFleet(InstanceData& data);

// What stands behind TYPE for `data`: "TSP", "VRPTW", ...
std::string_view VrplibTypeOf(const InstanceData& data);

// What stands behind EDGE_WEIGHT_TYPE where positions say the distances; FLOOR_2D goes with a scale
// of 10. nullopt: that takes a matrix.
std::optional<std::string_view> VrplibWeightsOf(const InstanceData& data);

// Whether a section says of each vehicle what is its own.
bool HasVehicleRows(const VrplibForm& form);

}  // namespace vrp
