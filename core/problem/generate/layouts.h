// Where generated customers lie and what they want, other than uniformly at random.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/problem/instance/metric.h"

namespace vrp {

enum class Layout {
  kUniform,    // Kool et al. 2019
  kClustered,  // around 3 to 8 of the customers; the depot anywhere
  // Depot, clusters, demands and lengths of routes mixed as in the X set of Uchoa et al. 2017, "New
  // benchmark instances for the capacitated vehicle routing problem".
  kX,
};

// "uniform", "clustered", "x".
std::string_view LayoutName(Layout layout);
std::optional<Layout> LayoutFromName(std::string_view name);

// In the unit square, the depot first. Not for kUniform, whose streams are the generator's own.
std::vector<Position> PlaceNodes(Layout layout, int32_t nodes, CounterRandom& random);

struct DrawnLoads {
  std::vector<double> demands;  // [N], 0 at the depot
  double capacity = 0;
};
// Whole demands 1 .. 100 by one of the seven rules of the X set, and the capacity for routes of 3
// to 25 customers in the mean.
DrawnLoads DrawXLoads(const std::vector<Position>& positions, CounterRandom& random);

}  // namespace vrp
