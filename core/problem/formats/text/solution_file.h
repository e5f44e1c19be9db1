// A plan as a solution file states it.
#pragma once

#include <optional>

#include "core/problem/instance/metric.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// A plan, and the cost that the file states.
struct SolutionFile {
  Plan plan = {};
  std::optional<Cost> cost = {};  // stated by the file; not checked
};

}  // namespace vrp
