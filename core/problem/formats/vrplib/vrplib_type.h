// What the word behind TYPE says of a VRPLIB or TSPLIB file.
#pragma once

#include <string>
#include <string_view>

#include "core/problem/instance/metric.h"

namespace vrp {

struct VrplibType {
  std::string_view name;
  bool tour = false;            // TSP, ATSP: one tour, no vehicles
  bool windows = false;         // customers have time windows
  bool open_end = false;        // routes end with their last customer
  bool backhauls_last = false;  // what is picked up is so after all deliveries, not in any order
  bool pairs = false;           // goods are brought from one customer to another
  bool weightless = false;      // nothing is carried
  // The metric that the published values of this type are stated in, of EUC_2D's distances.
  Metric metric = Metric::kRounded;
  // The section without which the type would be read as a plainer one; empty: none.
  std::string_view section = {};
};

// nullptr for a type that is not supported.
const VrplibType* FindVrplibType(std::string_view name);

// "TSP, ATSP, CVRP, ..."
std::string VrplibTypeNames();

}  // namespace vrp
