// Which units fit no common route.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/model/problem.h"
#include "core/search/model/route_evaluator.h"

namespace vrp {

// Evaluates each pair at most once, when it is first asked for. Known only where units have times
// or rules limit routes, and vehicles do not reload, and for up to 3,000 units, because it takes a
// byte for each pair. Not thread-safe; `problem` and `evaluator` must outlive this.
class UnitConflicts {
 public:
  UnitConflicts(const Problem& problem, RouteEvaluator& evaluator)
      : problem_(problem), evaluator_(evaluator) {}

  // Whether no vehicle can serve both units on one route without further visits. False if unknown.
  bool Conflict(int32_t a, int32_t b);

 private:
  enum State : char { kUnknown, kFit, kConflict };

  bool Fit(int32_t a, int32_t b);

  const Problem& problem_;
  RouteEvaluator& evaluator_;
  std::vector<State> states_;  // [units, units], the lower number first
  std::vector<NodeIndex> nodes_;
};

}  // namespace vrp
