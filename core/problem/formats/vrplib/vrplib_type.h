// The values of TYPE in VRPLIB and TSPLIB files.
#pragma once

#include <string>
#include <string_view>

#include "core/problem/instance/metric.h"

namespace vrp {

// A value of TYPE, and the rules that it sets.
struct VrplibType {
  std::string_view name;
  bool tour = false;            // whether the problem is one tour without vehicles: TSP, ATSP
  bool windows = false;         // whether customers have time windows
  bool open_end = false;        // whether routes end with their last customer
  bool backhauls_last = false;  // whether pickups follow all deliveries; if not, their order is
                                // free
  bool pairs = false;           // whether goods move from one customer to another
  bool no_loads = false;        // whether demands and capacities are optional
  // Metric of EUC_2D in the published best known costs of this type.
  Metric metric = Metric::kRounded;
  // The section that the type requires; empty if there is none.
  std::string_view section = {};
};

// Returns the type called `name`; null if the type is not supported.
const VrplibType* FindVrplibType(std::string_view name);

// Returns the names of all supported types: "TSP, ATSP, CVRP, ...".
std::string VrplibTypeNames();

}  // namespace vrp
