// The checker's view of an instance's raw data: distances, times and loads. The view shares no code
// with Instance, schedule.cc, solution.cc and plan_value.cc, so that the checker finds errors in
// these.
#pragma once

#include <vector>

#include "core/problem/instance/instance_data.h"

namespace vrp {

// The travel time of a vehicle that leaves at a time.
struct TimePoint {
  double leave = 0;
  double travel = 0;
};

// A view of an instance's data. Thread-safe.
class CheckerData {
 public:
  // `data` must outlive the view.
  explicit CheckerData(const InstanceData& data);

  const InstanceData& raw() const { return data_; }
  NodeIndex nodes() const { return static_cast<NodeIndex>(data_.ids.size()); }
  bool is_depot(NodeIndex node) const { return node < data_.num_depots; }
  const std::string& id(NodeIndex node) const { return data_.ids[static_cast<size_t>(node)]; }

  double Distance(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const;
  // Returns the length of the way that counts for max_distance.
  double Length(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const;
  // Returns the travel times at given times of departure, at least one, in order of time. They are
  // linear between two of these times, and constant before the first and after the last.
  std::vector<TimePoint> TravelTimes(const VehicleType& vehicle, NodeIndex from,
                                     NodeIndex to) const;
  // Returns the node's windows in order, or one window that is always open.
  std::vector<TimeWindow> WindowsOf(NodeIndex node) const;
  // Returns the service time, plus the setup time unless the distance and the shortest travel time
  // from `from` are 0.
  double WorkAt(const VehicleType& vehicle, NodeIndex from, NodeIndex node) const;

  double Demand(NodeIndex node, size_t k) const { return Load(data_.demands, node, k); }
  double Backhaul(NodeIndex node, size_t k) const { return Load(data_.backhauls, node, k); }
  double Pickup(NodeIndex node, size_t k) const { return Load(data_.pickups, node, k); }
  double ReleaseOf(NodeIndex node) const { return Value(data_.releases, node, 0); }
  double LoadingTime(NodeIndex depot) const { return Value(data_.services, depot, 0); }
  double Prize(NodeIndex node) const { return Value(data_.prizes, node, kNoLimit); }
  // Returns the weight of a customer that is left out: 1, plus the priority if there is one.
  double Weight(NodeIndex node) const;
  // Returns the shipment that is picked up or delivered at `node`, or null.
  const Shipment* ShipmentAt(NodeIndex node) const {
    return shipment_of_.empty() ? nullptr : shipment_of_[static_cast<size_t>(node)];
  }
  // Returns the amount that a route handles at `node`, shipments at their pickup.
  double Handled(NodeIndex node, size_t k) const;
  // Returns the change of the load by a shipment at `node`: negative at a delivery.
  double Shipped(NodeIndex node, size_t k) const;

  // A rule between customers, and a customer's place in its list.
  struct RulePlace {
    size_t rule = 0;
    size_t place = 0;
  };
  // Returns the rules that name the customer.
  const std::vector<RulePlace>& RulesOf(NodeIndex node) const;
  // Returns the sets of customers that same_route rules and shipments keep on one route.
  const std::vector<std::vector<NodeIndex>>& together() const { return together_; }

  // Returns the difference up to which times count as equal.
  double time_tolerance() const { return time_tolerance_; }
  // Returns the reciprocal of the metric's unit of distance; 0 for the exact metric.
  double steps_per_unit() const;

 private:
  double ShortestTravelTime(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const;
  void ReadRules();
  // Returns all customers that must share a route with `node`; marks them in `seen`.
  std::vector<NodeIndex> Together(NodeIndex node, std::vector<bool>& seen) const;
  double UnroundedDistance(NodeIndex from, NodeIndex to) const;
  double Load(const std::vector<double>& loads, NodeIndex node, size_t k) const {
    const auto columns = static_cast<size_t>(data_.load_dimensions);
    return loads.empty() ? 0 : loads[static_cast<size_t>(node) * columns + k];
  }
  static double Value(const std::vector<double>& values, NodeIndex node, double absent) {
    return values.empty() ? absent : values[static_cast<size_t>(node)];
  }
  size_t RowOf(NodeIndex node) const {
    const auto at = static_cast<size_t>(node);
    return data_.matrix_rows.empty() ? at : static_cast<size_t>(data_.matrix_rows[at]);
  }
  double Entry(const std::vector<double>& matrix, NodeIndex from, NodeIndex to) const {
    return matrix[RowOf(from) * matrix_size_ + RowOf(to)];
  }

  const InstanceData& data_;
  size_t matrix_size_ = 0;
  double time_tolerance_ = 0;
  std::vector<const Shipment*> shipment_of_;      // [N]; empty if there are no shipments
  std::vector<std::vector<RulePlace>> rules_of_;  // [N]; empty if there are no rules
  std::vector<std::vector<NodeIndex>> together_;
};

}  // namespace vrp
