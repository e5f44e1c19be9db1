// What a VRPLIB file says of its customers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/problem/formats/vrplib/vrplib_file.h"
#include "core/problem/formats/vrplib/vrplib_type.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// Loads, windows, service and release times, prizes, shipments, alternatives, skills. Nodes are in
// the file's order and counted from 0. kInvalidArgument names the section.
absl::Status ReadVrplibCustomers(const VrplibFile& file, const VrplibType& type,
                                 InstanceData& data);

// DEPOT_SECTION's numbers; the first node where there is none, as in PyVRP's files.
std::vector<double> DepotNumbers(const VrplibFile& file);

// Sets of customers that one file may tell apart: each becomes a skill of all other vehicles and
// customers.
inline constexpr size_t kMostVrplibSets = 64;

// VEHICLES_ALLOWED_CLIENTS_SECTION as skills: by set of customers the skill that all vehicles but
// those with this set have, and that customers outside of it ask for.
std::map<std::vector<int32_t>, std::string> SkillsOfSets(const VrplibLists& allowed);

}  // namespace vrp
