// A plan as a solution file states it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/problem/instance/metric.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// A plan, and the cost that the file states.
struct SolutionFile {
  Plan plan = {};
  std::optional<Cost> cost = {};    // stated by the file; not checked
  std::vector<int64_t> lines = {};  // line of each route, from 1; empty for JSON
};

}  // namespace vrp
