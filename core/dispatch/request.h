// Requests: orders for delivery from the depot that become known during a day.
#pragma once

#include <string>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// An order. Times are in the unit of the site's instance and count from the same zero.
struct DispatchRequest {
  std::string id = {};
  NodeIndex customer = 0;           // node of the site's instance: the address
  std::vector<double> demand = {};  // [K] delivered from the depot
  TimeWindow window = {};
  double service = 0;    // service time
  double release = 0;    // earliest departure of a vehicle that carries it
  bool must_go = false;  // whether the caller says that it has to leave now

  bool operator==(const DispatchRequest&) const = default;
};

}  // namespace vrp
