// Reads the customers of a VRPLIB file.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "core/problem/formats/vrplib/vrplib_file.h"
#include "core/problem/formats/vrplib/vrplib_type.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// Sets the per-node fields, shipments and alternative groups of `data`. Nodes keep the file's order
// and are counted from 0. Returns kInvalidArgument naming the section.
absl::Status ReadVrplibCustomers(const VrplibFile& file, const VrplibType& type,
                                 InstanceData& data);

// Returns the node numbers in DEPOT_SECTION. Like PyVRP, returns the first node if there is no such
// section.
std::vector<double> DepotNumbers(const VrplibFile& file);

}  // namespace vrp
