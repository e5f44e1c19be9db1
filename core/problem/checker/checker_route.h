// The checker's rules of a single route.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/checker/checker_data.h"

namespace vrp {

// Adds each violation to `violations`, with "routes[r]: " before its message.
class RouteChecker {
 public:
  // All must outlive this. `path`: the start depot, the known visits (customers, and reloads of the
  // vehicle's depot), and the end depot unless the end is open.
  RouteChecker(const CheckerData& data, int32_t route, const VehicleType& vehicle,
             const std::vector<NodeIndex>& path, std::vector<Violation>& violations);

  // What the route comes to.
  RouteFigures Run();

 private:
  template <typename... Parts>
  void Add(Violation violation, const Parts&... parts) {
    violation.route = route_;
    violation.message = Concat("routes[", route_, "]: ", parts...);
    violations_.push_back(std::move(violation));
  }

  void JudgeReloads();
  void JudgeDistance();
  void JudgeStops();
  void JudgeSkills();
  // Of the trip path[begin] .. path[end - 1]; gives the most that is on board.
  double MostOnBoard(size_t begin, size_t end, size_t dimension) const;
  void JudgeLoads();
  void JudgeBackhaulOrder();
  void JudgeTimes();
  void JudgeShift(double end);
  std::string CapacityText(double most, double capacity, size_t dimension) const;
  bool IsTripStart(size_t i) const;

  const CheckerData& data_;
  const int32_t route_;
  const VehicleType& vehicle_;
  const std::vector<NodeIndex>& path_;
  std::vector<Violation>& violations_;
  RouteFigures figures_;
};

}  // namespace vrp
