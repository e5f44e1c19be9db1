// Writes VROOM's input: docs/API.md (v1.15) of github.com/VROOM-Project/vroom.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Returns JSON text that InstanceFromVroom reads back to the same problem. Its times, amounts,
// costs and matrices are whole numbers. Returns kUnimplemented with the first field that VROOM's
// format cannot express.
absl::StatusOr<std::string> WriteVroom(const Instance& instance);

}  // namespace vrp
