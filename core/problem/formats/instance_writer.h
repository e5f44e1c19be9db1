// Writes instances in any format.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// The format of an instance that is written.
enum class WrittenFormat {
  kVrplib,   // CVRPLIB, with PyVRP's and LKH's sections
  kTsplib,   // TSPLIB, for a TSP
  kSolomon,  // Solomon's format, for a VRPTW with distances rounded down to one decimal
  kVroom,    // VROOM's input, in whole numbers
  kJson,     // our JSON, which holds every field except units
};

// Options of WriteInstance.
struct WriteOptions {
  WrittenFormat format = WrittenFormat::kJson;
  // Whether to replace the ids of nodes by their numbers, and to omit those of vehicles and
  // shipments. If false, ids that the format cannot hold are an error. Ignored for kVroom and
  // kJson.
  bool renumber = false;
};

// Writes text that reads back to the same problem. Writes or refuses every field that affects
// feasibility or cost. Omits a name or a reference cost that the format cannot hold. Returns
// kUnimplemented with a message such as `customers[3].prize: 5, which Solomon's format cannot
// express`.
absl::StatusOr<std::string> WriteInstance(const Instance& instance, const WriteOptions& options);

}  // namespace vrp
