// Compares instances field by field.
#pragma once

#include <optional>
#include <string>

#include "core/problem/instance/instance_data.h"

namespace vrp {

// Returns the path of the first field that differs, with its value (or a list's size) in `a`, such
// as `customers[3].prize: 5`. Returns nullopt if no field differs. Does not compare `name`,
// `reference_cost` and `units`. An absent per-node vector equals one that holds only defaults. The
// instances may have different numbers of nodes.
std::optional<std::string> FirstDifference(const InstanceData& a, const InstanceData& b);

}  // namespace vrp
