// The instance as the search's inner loops read it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/search/model/detours.h"
#include "core/search/model/distance_matrix.h"
#include "core/search/model/frozen_search_route.h"
#include "core/search/model/unit.h"
#include "core/search/model/vehicle.h"

namespace vrp {

// Flat arrays, neighbour lists. Immutable after Create; thread-safe.
class Problem {
 public:
  static constexpr int32_t kMatrixNodes = 2000;  // as PlainProblem's
  static constexpr int32_t kListed = 100;
  static constexpr int32_t kListedLarge = 40;    // above kScanAllNodes
  static constexpr int32_t kScanAllNodes = 150;  // up to here every place of a plan is looked at
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // Returns soon after `stop` holds: neighbour lists may be empty then, and units kUnknown
  // (Detours::Create has the bound); all else is complete.
  static Problem Create(const Instance& instance, const StopCondition& stop);

  const Instance& instance() const { return instance_; }
  int32_t size() const { return size_; }  // nodes
  int32_t depots() const { return depots_; }
  bool is_depot(NodeIndex node) const { return node < depots_; }
  NodeIndex nowhere() const { return size_; }  // where open routes end: no way leads there
  int32_t dimensions() const { return dimensions_; }
  const std::vector<Vehicle>& vehicles() const { return vehicles_; }
  const Vehicle& vehicle(int32_t type) const { return vehicles_[type]; }
  // The type that an instance's type became.
  int32_t TypeOf(int32_t instance_type) const { return type_of_[instance_type]; }
  int32_t instance_types() const { return static_cast<int32_t>(type_of_.size()); }
  const std::vector<FrozenSearchRoute>& frozen() const { return frozen_; }

  // Which parts of the data there are.
  bool timed() const { return timed_; }  // anything can be too early or too late
  bool has_setups() const { return !setup_.empty(); }
  bool has_further_windows() const { return !further_.empty(); }
  bool single_windows() const { return setup_.empty() && further_.empty(); }
  bool has_releases() const { return !release_.empty(); }
  bool has_skills() const { return skilled_.size() > 1; }  // not all vehicles serve all customers
  bool has_shipments() const { return has_shipments_; }
  bool has_backhauls() const { return has_backhauls_; }
  bool plain_loads() const { return plain_loads_; }  // one trip, deliveries only
  // Cost of each route, beyond any saving, where fewer routes are better; else 0.
  double route_weight() const { return route_weight_; }

  // Whether the distances of all vehicles are the same, and the least cost of one of them.
  bool one_distance() const { return one_distance_; }
  double least_per_distance() const { return least_per_distance_; }
  bool has_reloads() const { return has_reloads_; }  // some vehicle may
  double Distance(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const {
    if (to == size_) return 0;
    if (vehicle.distance != nullptr) {
      return vehicle.distance[static_cast<int64_t>(from) * size_ + to];
    }
    return exact_positions_ != nullptr && vehicle.row_distance == nullptr
               ? ExactDistance(exact_positions_[from], exact_positions_[to])
               : DistanceWithoutMatrix(vehicle, from, to);
  }
  // From the first vehicle's start.
  double DepotDistance(NodeIndex node) const {
    return Distance(vehicles_.front(), vehicles_.front().start, node);
  }
  double Duration(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const {
    return Duration(vehicle, from, to,
                    vehicle.duration != nullptr ? 0 : Distance(vehicle, from, to));
  }
  // Where that distance is known.
  double Duration(const Vehicle& vehicle, NodeIndex from, NodeIndex to, double distance) const {
    if (to == size_) return 0;
    if (vehicle.duration != nullptr) {
      return vehicle.duration[static_cast<int64_t>(from) * size_ + to];
    }
    return vehicle.row_duration == nullptr ? distance * inverse_speed_
                                           : RowEntry(vehicle.row_duration, from, to);
  }

  double inverse_speed() const { return inverse_speed_; }  // duration / distance, without a matrix

  double Service(NodeIndex node) const { return service_[node]; }
  // Time at the node before and during service, for who comes from `from`.
  double Handling(const Vehicle& vehicle, NodeIndex from, NodeIndex node) const {
    if (setup_.empty() || setup_[node] == 0) return service_[node];
    const bool elsewhere = Distance(vehicle, from, node) != 0 || Duration(vehicle, from, node) != 0;
    return service_[node] + (elsewhere ? setup_[node] : 0);
  }
  double release(NodeIndex node) const { return release_.empty() ? 0 : release_[node]; }
  double open(NodeIndex node) const { return open_[node]; }
  double close(NodeIndex node) const { return close_[node]; }  // of the first window; soft: never
  bool InTime(double time, double limit) const { return time <= limit + time_slack_; }
  double time_slack() const { return time_slack_; }
  // The earliest start in the node's windows from `time` on, late where a window is soft; kNever:
  // none.
  double Earliest(NodeIndex node, double time) const {
    if (time <= close_[node] + time_slack_) return std::max(time, open_[node]);
    return further_.empty() ? kNever : EarliestFurther(node, time);
  }
  // The latest start up to `time`, late where that is allowed; -kNever: none.
  double Latest(NodeIndex node, double time) const {
    if (!further_.empty()) return LatestFurther(node, time, false);
    return time < open_[node] - time_slack_ ? -kNever : std::min(time, close_[node]);
  }
  // As Latest, but not late.
  double LatestOnTime(NodeIndex node, double time) const {
    if (!further_.empty()) return LatestFurther(node, time, true);
    return time < open_[node] - time_slack_ ? -kNever : std::min(time, late_from(node));
  }
  bool soft() const { return !late_cost_.empty(); }
  double late_from(NodeIndex node) const { return late_from_[node]; }  // the last window's close
  double LateCost(NodeIndex node, double start) const {
    return start > late_from_[node] ? late_cost_[node] * (start - late_from_[node]) : 0;
  }

  // Rows of K: brought from the depot, brought to it, and by shipments (below 0 where they leave).
  const double* delivered(NodeIndex node) const { return &delivered_[node * int64_t{dimensions_}]; }
  const double* collected(NodeIndex node) const { return &collected_[node * int64_t{dimensions_}]; }
  const double* carried(NodeIndex node) const { return &carried_[node * int64_t{dimensions_}]; }
  bool is_linehaul(NodeIndex node) const { return linehaul_[node] != 0; }
  bool is_backhaul(NodeIndex node) const { return backhaul_[node] != 0; }
  // Of the fleet's largest vehicle in each dimension, of those that have a limit [K].
  const std::vector<double>& most_capacity() const { return most_capacity_; }
  double bulk(NodeIndex node) const { return bulk_[node]; }  // largest share of most_capacity
  bool Allowed(const Vehicle& vehicle, NodeIndex node) const {
    return Allowed(vehicle.skills, node);
  }
  bool Allowed(int32_t skills, NodeIndex node) const {  // Vehicle::skills
    return skilled_[skill_set_[node] * skill_rows_ + skills] != 0;
  }

  int32_t units() const { return static_cast<int32_t>(units_.size()); }
  const Unit& unit(int32_t index) const { return units_[index]; }
  int32_t UnitOf(NodeIndex customer) const { return unit_of_[customer]; }
  std::span<const NodeIndex> NodesOf(const Unit& unit) const {
    return {unit_nodes_.data() + unit.first, static_cast<size_t>(unit.count)};
  }

  const Detours& detours() const { return detours_; }  // and which units can be served

  // Other customers: by distance; by distance, waiting and lateness (as PlainProblem::Related).
  std::span<const NodeIndex> Near(NodeIndex node) const { return Slice(near_, node); }
  std::span<const NodeIndex> Related(NodeIndex node) const {
    return Slice(related_.empty() ? near_ : related_, node);
  }
  double epsilon() const { return epsilon_; }  // differences of costs below this are rounding

 private:
  friend class ProblemBuilder;
  explicit Problem(const Instance& instance) : instance_(instance) {}
  double DistanceWithoutMatrix(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const;
  // Returns an entry of a matrix whose rows nodes may share.
  double RowEntry(const double* matrix, NodeIndex from, NodeIndex to) const {
    return matrix[matrix_rows_[from] * matrix_size_ + matrix_rows_[to]];
  }
  double EarliestFurther(NodeIndex node, double time) const;
  double LatestFurther(NodeIndex node, double time, bool on_time) const;
  std::span<const NodeIndex> Slice(const std::vector<NodeIndex>& lists, NodeIndex node) const {
    if (lists.empty()) return {};
    return {lists.data() + int64_t{node} * listed_, static_cast<size_t>(listed_)};
  }

  Instance instance_;  // shares its data
  int32_t size_ = 0, depots_ = 0, dimensions_ = 1, skill_rows_ = 1, listed_ = 0;
  int64_t matrix_size_ = 0;               // rows of row_distance and row_duration
  const int32_t* matrix_rows_ = nullptr;  // of the instance's data: the row of each node
  bool timed_ = false, has_shipments_ = false, has_backhauls_ = false;
  bool plain_loads_ = true, one_distance_ = true, has_reloads_ = false;
  double least_per_distance_ = kNever;
  double inverse_speed_ = 1, time_slack_ = 0, epsilon_ = 0, route_weight_ = 0;
  std::vector<Vehicle> vehicles_;
  std::vector<int32_t> type_of_;
  std::vector<FrozenSearchRoute> frozen_;
  const Position* exact_positions_ = nullptr;  // as ExactPositions
  std::vector<double> own_distances_;
  std::vector<double> service_, setup_, release_, open_, close_, late_from_, late_cost_;
  std::vector<int32_t> further_begin_;
  std::vector<TimeWindow> further_;
  std::vector<double> delivered_, collected_, carried_, most_capacity_, bulk_;
  std::vector<char> linehaul_, backhaul_, skilled_;
  std::vector<int32_t> skill_set_, unit_of_;
  std::vector<Unit> units_;
  std::vector<NodeIndex> unit_nodes_, near_, related_;
  Detours detours_;
};

}  // namespace vrp
