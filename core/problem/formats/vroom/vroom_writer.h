// Writes VROOM's input: docs/API.md (v1.15) of github.com/VROOM-Project/vroom.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Writes whole numbers that InstanceFromVroom reads back to the same problem. Returns
// kUnimplemented with the first field that VROOM's format cannot express.
absl::StatusOr<std::string> WriteVroom(const Instance& instance);

}  // namespace vrp
