// Writes instances in any format.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

enum class WrittenFormat {
  kVrplib,   // CVRPLIB, with PyVRP's and LKH's sections
  kTsplib,   // TSPLIB, for a TSP
  kSolomon,  // for a VRPTW with distances cut to one decimal
  kVroom,    // VROOM's input, in whole numbers
  kJson,     // our JSON, which holds every field
};

struct WriteOptions {
  WrittenFormat format = WrittenFormat::kJson;
  // Whether ids that the format has no place for are left out instead of refused.
  bool renumber = false;
};

// Writes text that reads back to the same problem. Every field that affects feasibility or cost is
// either written or refused; a name or a reference cost is left out if the format has no place for
// it. kUnimplemented: `customers[3].prize: 5, which CVRPLIB's format cannot express`.
absl::StatusOr<std::string> WriteInstance(const Instance& instance, const WriteOptions& options);

}  // namespace vrp
