// Writes CVRPLIB and TSPLIB files, with LKH's and PyVRP's sections.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Writes text that ParseVrplib reads back to the same problem. `data` is that of `instance`, or
// differs only in ids. Returns kUnimplemented with the first field that the format cannot express.
//
// Some parts change their form. Distances that the format cannot derive from the positions become a
// matrix. If vehicles need rows of their own, an unlimited fleet becomes one vehicle for each
// customer. If the type needs a capacity, a capacity without limit becomes more than the sum of all
// loads. Skills become the customers that each vehicle may serve.
absl::StatusOr<std::string> WriteVrplib(const Instance& instance, InstanceData data);

}  // namespace vrp
