// Converts skills to and from the sets of customers that VRPLIB's files have instead.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/vrplib/vrplib_file.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// The section of PyVRP's files that lists the customers each vehicle may serve.
inline constexpr char kAllowedClients[] = "VEHICLES_ALLOWED_CLIENTS_SECTION";

// Bounds the number of different sets of customers in one file. Each set becomes a skill of most
// vehicles and customers.
inline constexpr size_t kMaxVrplibSets = 64;

// Adds to `fleet` a skill for each different set of customers in the section. The vehicles of all
// other sets have the skill, and the customers outside the set require it. `fleet` has one vehicle
// for each row.
void AddSkillsOfVehicles(const VrplibLists& allowed, std::vector<VehicleType>& fleet);
// Adds the same skills to the customers that require them. `depots` are node numbers from 1; depots
// require no skill. `data.required_skills` must have an entry for each node.
void AddSkillsOfCustomers(const VrplibLists& allowed, const std::vector<double>& depots,
                          InstanceData& data);

// Returns the number of different sets in the section.
size_t CountSets(const VrplibLists& allowed);

// The customers that the vehicles of each type may serve.
struct AllowedCustomers {
  std::vector<std::vector<NodeIndex>> sets = {};  // each in ascending order
  std::vector<size_t> set_of_type = {};           // an index into `sets` for each vehicle type

  bool operator==(const AllowedCustomers&) const = default;
};

// Moves the skills of vehicles and customers out of `data`. If every vehicle may serve all
// customers, returns one set of all customers. Returns kUnimplemented for vehicles with more than
// kMaxVrplibSets different sets of skills.
absl::StatusOr<AllowedCustomers> TakeAllowedCustomers(InstanceData& data);

}  // namespace vrp
