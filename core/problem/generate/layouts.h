// Layouts of generated instances: positions of the nodes, and demands of the X set.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/problem/instance/metric.h"

namespace vrp {

// The distribution of the nodes' positions.
enum class Layout {
  kUniform,    // Kool et al. 2019
  kClustered,  // around 3 to 8 of the customers; the depot is random
  // Depot, clusters, demands and route lengths mixed as in the X set of Uchoa et al. 2017, "New
  // benchmark instances for the capacitated vehicle routing problem".
  kX,
};

// Returns the layout's name: "uniform", "clustered" or "x".
std::string_view LayoutName(Layout layout);
std::optional<Layout> LayoutFromName(std::string_view name);

// Draws positions in the unit square, the depot first. Does not support kUniform, which has its own
// stream.
std::vector<Position> PlaceNodes(Layout layout, int32_t nodes, CounterRandom& random);

// The loads of one instance.
struct DrawnLoads {
  std::vector<double> demands;  // [N], 0 at the depot
  double capacity = 0;
};
// Draws integer demands from 1 to 100 by one of the seven rules of the X set. The capacity fits
// routes of 3 to 25 customers on average, and at least the largest demand.
DrawnLoads DrawXLoads(const std::vector<Position>& positions, CounterRandom& random);

}  // namespace vrp
