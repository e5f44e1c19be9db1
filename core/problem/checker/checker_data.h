// The checker's own arithmetic on an instance's raw data. It calls nothing of Instance's, of
// schedule.cc's, solution.cc's or plan_value.cc's: a mistake there must not hide here.
#pragma once

#include <vector>

#include "core/problem/instance/instance_data.h"

namespace vrp {

class CheckerData {
 public:
  explicit CheckerData(const InstanceData& data);

  const InstanceData& raw() const { return data_; }
  NodeIndex nodes() const { return static_cast<NodeIndex>(data_.ids.size()); }
  bool is_depot(NodeIndex node) const { return node < data_.num_depots; }
  const std::string& id(NodeIndex node) const { return data_.ids[static_cast<size_t>(node)]; }

  double Distance(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const;
  double TravelTime(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const;
  // In order; one that is always open where none is given.
  std::vector<TimeWindow> WindowsOf(NodeIndex node) const;
  // Setup, where the vehicle comes from elsewhere, and service.
  double WorkAt(const VehicleType& vehicle, NodeIndex from, NodeIndex node) const;

  double Demand(NodeIndex node, size_t k) const { return Load(data_.demands, node, k); }
  double Backhaul(NodeIndex node, size_t k) const { return Load(data_.backhauls, node, k); }
  double Pickup(NodeIndex node, size_t k) const { return Load(data_.pickups, node, k); }
  double ReleaseOf(NodeIndex node) const { return Value(data_.releases, node, 0); }
  double Prize(NodeIndex node) const { return Value(data_.prizes, node, kNoLimit); }
  double Weight(NodeIndex node) const;
  // What a shipment brings on board here, or takes off: its amount, or less than 0.
  double Shipped(NodeIndex node, size_t k) const;

  // Times closer than this are equal.
  double time_tolerance() const { return time_tolerance_; }
  // The step that distances of the metric are multiples of, as its reciprocal; 0: none.
  double steps_per_unit() const;

 private:
  double Plain(NodeIndex from, NodeIndex to) const;
  double Load(const std::vector<double>& loads, NodeIndex node, size_t k) const {
    const auto columns = static_cast<size_t>(data_.load_dimensions);
    return loads.empty() ? 0 : loads[static_cast<size_t>(node) * columns + k];
  }
  static double Value(const std::vector<double>& values, NodeIndex node, double otherwise) {
    return values.empty() ? otherwise : values[static_cast<size_t>(node)];
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
  std::vector<const Shipment*> shipment_of_;  // by node; empty: there are none
};

}  // namespace vrp
