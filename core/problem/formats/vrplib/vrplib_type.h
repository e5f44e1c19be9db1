// The values of TYPE in VRPLIB and TSPLIB files.
#pragma once

#include <string>
#include <string_view>

#include "core/problem/instance/metric.h"

namespace vrp {

// The kind of problem that a value of TYPE stands for.
struct VrplibType {
  std::string_view name;
  bool tour = false;            // whether it is one tour without vehicles: TSP, ATSP
  bool windows = false;         // whether customers have time windows
  bool open_end = false;        // whether routes end with their last customer
  bool backhauls_last = false;  // whether pickups follow all deliveries, instead of in any order
  bool pairs = false;           // whether goods are brought from one customer to another
  bool weightless = false;      // whether there are no loads
  // The metric of EUC_2D in which the best values of this type are published.
  Metric metric = Metric::kRounded;
  // The section that the type requires; empty: none.
  std::string_view section = {};
};

// Returns null for a type that is not supported.
const VrplibType* FindVrplibType(std::string_view name);

// Returns the names of all supported types: "TSP, ATSP, CVRP, ...".
std::string VrplibTypeNames();

}  // namespace vrp
