// Checks a single route.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/checker/checker_clock.h"
#include "core/problem/checker/checker_data.h"

namespace vrp {

// A checker of one route. Adds each violation to `violations`, with "routes[r]: " before its
// message.
class RouteChecker {
 public:
  // All arguments must outlive the checker. `path` holds the start depot, the visits (customers,
  // and reloads at the vehicle's depot), and the end depot unless the end is open.
  RouteChecker(const CheckerData& data, int32_t route, const VehicleType& vehicle,
               const std::vector<NodeIndex>& path, std::vector<Violation>& violations);

  // Checks the route and returns its figures.
  RouteFigures Run();

 private:
  template <typename... Parts>
  void Add(Violation violation, const Parts&... parts) {
    violation.route = route_;
    violation.message = Concat("routes[", route_, "]: ", parts...);
    violations_.push_back(std::move(violation));
  }

  void CheckReloads();
  void CheckDistance();
  void CheckStops();
  void CheckSkills();
  void CheckRules();
  // `places`: those of the rule's customers on the route, in the order of their visits.
  void CheckRule(size_t index, const std::vector<size_t>& places);
  // Returns the peak load of the trip from path[begin] to path[end - 1]. Shipments stay on board
  // during reloads.
  double PeakLoad(size_t begin, size_t end, size_t dimension) const;
  void CheckLoads();
  // Checks the assignment of compartments of each trip.
  void CheckCompartments();
  void CheckLifo();
  void CheckBackhaulOrder();
  // Returns the times of the route.
  ClockReading ReadClock() const;
  void CheckTimes(const ClockReading& reading);
  // Charges lateness after a soft window, and reports lateness after a hard one.
  void CheckLateStop(const LateStop& late);
  void CheckShift(double end);
  void AddMissedBreak(size_t index);
  // Checks the limits of driving and of work.
  void CheckDriving(double driving);
  std::string CapacityText(double peak, double capacity, size_t dimension) const;
  bool StartsTrip(size_t i) const;

  const CheckerData& data_;
  const int32_t route_;
  const VehicleType& vehicle_;
  const std::vector<NodeIndex>& path_;
  std::vector<Violation>& violations_;
  RouteFigures figures_;
};

}  // namespace vrp
