// Where two instances ask for different things.
#pragma once

#include <optional>
#include <string>

#include "core/problem/instance/instance_data.h"

namespace vrp {

// The first field that differs, with what `a` says: `customers[3].prize: 5`. Names and reference
// costs are not compared; an absent vector equals one that says nothing (services of 0). Sizes may
// differ.
std::optional<std::string> FirstDifference(const InstanceData& a, const InstanceData& b);

}  // namespace vrp
