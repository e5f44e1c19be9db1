// Writes CVRPLIB and TSPLIB files, with LKH's and PyVRP's sections.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Writes text that ParseVrplib reads back to the same problem. `data` is that of `instance`, or
// differs from it in ids alone. Returns kUnimplemented with the first field that the format cannot
// express.
//
// Some parts take another form: distances that the format would round become a matrix; an unlimited
// fleet becomes one vehicle for each customer; a capacity without limit becomes more than all loads
// together; skills become the customers that each vehicle may serve.
absl::StatusOr<std::string> WriteVrplib(const Instance& instance, InstanceData data);

}  // namespace vrp
