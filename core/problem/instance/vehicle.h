// Vehicle types: depots, capacities, limits, working hours and costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/instance/driving_rules.h"
#include "core/problem/instance/node.h"

namespace vrp {

// The times at which service may start: [open, close], both ends included. Early vehicles wait.
struct TimeWindow {
  double open = 0;
  double close = kNoLimit;
  // Cost per time unit of a start after `close`. With kNoLimit, the window is hard.
  double late_cost = kNoLimit;

  bool soft() const { return late_cost != kNoLimit; }
  bool operator==(const TimeWindow&) const = default;
};

// A pause of `duration` that begins within a window, both ends included, at a stop or between two
// stops. A break does not shorten the travel time. Every used vehicle takes all of its breaks in
// the given order, after its departure from the start and before its arrival at the end. With an
// open end, the last breaks may follow the last service.
struct Break {
  TimeWindow window = {};
  double duration = 0;
  // The windows after the first. Each opens after the previous one closes.
  std::vector<TimeWindow> further_windows = {};
  // [K]: the vehicle takes the break only while each of its loads is at most this. At a stop, the
  // break may be taken before or after the goods are handed over. Empty: no limit.
  std::vector<double> max_load = {};

  bool operator==(const Break&) const = default;
};

// A part of a vehicle's space that holds goods of at most one load dimension at a time.
struct Compartment {
  double capacity = 0;
  std::vector<int32_t> load_dimensions = {};  // the dimensions that it may hold; empty: any

  bool Holds(int32_t dimension) const {
    return load_dimensions.empty() || std::find(load_dimensions.begin(), load_dimensions.end(),
                                                dimension) != load_dimensions.end();
  }
  bool operator==(const Compartment&) const = default;
};

// The travel times of vehicles that leave at `at`.
struct TimedMatrix {
  double at = 0;
  std::vector<double> durations = {};  // [R, R] row-major (R: MatrixSize)

  bool operator==(const TimedMatrix&) const = default;
};

// The times that vehicles of one type need at a customer. kNoLimit: the customer's own time.
struct CustomerTimes {
  NodeIndex customer = 0;
  double service = kNoLimit;
  double setup = kNoLimit;

  bool operator==(const CustomerTimes&) const = default;
};

// Value of VehicleType::end_depot for routes that end where they start.
inline constexpr NodeIndex kSameAsStart = -1;

// `count` equal vehicles. Each starts at `depot` and, unless `open_end`, ends at `end_depot`.
struct VehicleType {
  std::string id = {};
  int32_t count = 0;  // 0: unlimited
  NodeIndex depot = 0;
  double capacity = kNoLimit;  // limit in the first load dimension
  // Largest time from the departure from the start to the arrival at the end, including waiting and
  // service.
  double max_duration = kNoLimit;
  // Limit of a route's length, in the metric's unit: of its distance, or of its way by
  // length_matrix.
  double max_distance = kNoLimit;
  // Largest waiting time of a route: the part of its duration in which the vehicle neither drives,
  // serves, sets up nor takes a break. It may wait for windows, also at its end, for breaks and,
  // when it reloads, for releases. With breaks after driving, breaks are its planned ones or
  // break_duration after each full max_driving_before_break but the last, whichever is longer.
  double max_waiting = kNoLimit;
  // Whether a route ends with the service of its last customer. If so, neither the cost nor a limit
  // includes the return leg. The last service may end after the depot closes, but not after the
  // shift.
  bool open_end = false;

  NodeIndex end_depot = kSameAsStart;
  std::vector<double> further_capacities = {};  // limits in load dimensions 1 .. K-1; empty: no
                                                // limits
  TimeWindow shift = {};                        // from the departure from the start to the arrival
                                                // at the end
  // Costs with Objective::kCost: per used vehicle, per unit of distance, per unit of duration.
  double fixed_cost = 0;
  double cost_per_distance = 1;
  double cost_per_time = 0;
  // Allowed duration beyond max_duration. With Objective::kCost it has a cost per unit.
  double max_overtime = 0;
  double overtime_cost = 0;
  int32_t max_stops = INT32_MAX;  // largest number of customers of a route
  // Largest number of visits of a depot within a route to unload and load again.
  int32_t max_reloads = 0;
  // Depots where the vehicle may reload. Empty: only `depot`.
  std::vector<NodeIndex> reload_depots = {};
  double latest_start = kNoLimit;  // latest departure from the start
  // [K] load on board at the start, which the vehicle unloads at its first reload or at its end.
  // Empty: none.
  std::vector<double> initial_load = {};
  std::vector<std::string> skills = {};
  std::vector<Break> breaks = {};
  // Whether a shipment may be delivered only if it was picked up last of those on board. Goods from
  // or to the depot do not matter.
  bool lifo = false;
  // From the start or a reload to the next reload or the end, each compartment holds goods of at
  // most one load dimension. A dimension may use several compartments, and its largest load must
  // fit in them. The capacities hold too. Empty: no compartments.
  std::vector<Compartment> compartments = {};
  // Matrices, [R, R] row-major (R: MatrixSize). One that is not empty replaces the instance's for
  // this type: either of the last two replaces both.
  std::vector<double> distance_matrix = {};
  std::vector<double> length_matrix = {};  // as InstanceData::length_matrix
  std::vector<double> duration_matrix = {};
  DrivingRules driving_rules = {};
  std::vector<TimedMatrix> duration_matrices = {};  // as InstanceData::duration_matrices
  // Each customer at most once; an Instance sorts them by customer.
  std::vector<CustomerTimes> customer_times = {};
  // Costs with Objective::kCost per unit of service and setup time, loading included, and per unit
  // of travel time.
  double cost_per_service_time = 0;
  double cost_per_travel_time = 0;

  NodeIndex end() const { return end_depot == kSameAsStart ? depot : end_depot; }
  // Whether a route may visit `node`, any number, to reload there.
  bool MayReloadAt(NodeIndex node) const {
    if (max_reloads == 0) return false;
    if (reload_depots.empty()) return node == depot;
    return std::find(reload_depots.begin(), reload_depots.end(), node) != reload_depots.end();
  }
  // Whether a route may reload before its first customer: to unload an initial load.
  bool MayUnloadFirst() const {
    return max_reloads > 0 && std::any_of(initial_load.begin(), initial_load.end(),
                                          [](double load) { return load > 0; });
  }
  // Whether a limit depends on a route's duration. The vehicle then leaves as late as it can
  // without delaying the route's end (core/problem/plan/schedule.h).
  bool limits_duration() const { return max_duration != kNoLimit || max_waiting != kNoLimit; }
  bool operator==(const VehicleType&) const = default;
};

// Returns the largest load of the dimension that an otherwise empty vehicle can carry.
inline double LargestLoad(const VehicleType& vehicle, int32_t dimension) {
  double capacity = vehicle.capacity;
  if (dimension > 0) {
    const auto& further = vehicle.further_capacities;
    const auto at = static_cast<size_t>(dimension) - 1;
    capacity = at < further.size() ? further[at] : kNoLimit;
  }
  if (vehicle.compartments.empty()) return capacity;
  double compartments = 0;
  for (const Compartment& compartment : vehicle.compartments) {
    if (compartment.Holds(dimension)) compartments += compartment.capacity;
  }
  return std::min(capacity, compartments);
}

}  // namespace vrp
