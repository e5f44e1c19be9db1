// Reads the customers of a VRPLIB file.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "core/problem/formats/vrplib/vrplib_file.h"
#include "core/problem/formats/vrplib/vrplib_type.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// Sets the per-node fields of `data`, its shipments and alternative groups. Nodes are in the file's
// order and counted from 0. kInvalidArgument names the section.
absl::Status ReadVrplibCustomers(const VrplibFile& file, const VrplibType& type,
                                 InstanceData& data);

// Returns the node numbers in DEPOT_SECTION, or the first node if there is none, as PyVRP does.
std::vector<double> DepotNumbers(const VrplibFile& file);

}  // namespace vrp
