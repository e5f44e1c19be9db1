// Loads that nodes add to a vehicle or take from it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/instance/instance.h"
#include "core/search/model/vehicle.h"

namespace vrp {

// Loads of all nodes in K dimensions. Immutable; thread-safe.
class NodeLoads {
 public:
  int32_t dimensions() const { return dimensions_; }
  bool has_shipments() const { return has_shipments_; }
  bool has_backhauls() const { return has_backhauls_; }
  bool plain_loads() const { return plain_loads_; }  // one trip, deliveries only

  // Rows of K: brought from the depot, brought to it, and by shipments (below 0 where they leave).
  const double* delivered(NodeIndex node) const { return &delivered_[node * int64_t{dimensions_}]; }
  const double* collected(NodeIndex node) const { return &collected_[node * int64_t{dimensions_}]; }
  const double* carried(NodeIndex node) const { return &carried_[node * int64_t{dimensions_}]; }
  // The customer where the goods delivered to `node` are picked up, and where those picked up there
  // are delivered; -1: none.
  NodeIndex PickupOf(NodeIndex node) const { return EndAt(pickup_of_, node); }
  NodeIndex DeliveryOf(NodeIndex node) const { return EndAt(delivery_of_, node); }
  bool is_linehaul(NodeIndex node) const { return linehaul_[node] != 0; }
  bool is_backhaul(NodeIndex node) const { return backhaul_[node] != 0; }
  // [K]: the largest capacity of all vehicles in each dimension, unlimited ones left out.
  const std::vector<double>& most_capacity() const { return most_capacity_; }
  double bulk(NodeIndex node) const { return bulk_[node]; }  // largest share of most_capacity

  // For plain problems, with one vehicle type, one dimension and deliveries only.
  double demand(NodeIndex node) const { return delivered_[node]; }
  double capacity() const { return capacity_; }
  bool Fits(double load) const { return load <= capacity_limit_; }
  // Returns the load beyond the capacity; 0 if it Fits.
  double ExcessLoad(double load) const { return Fits(load) ? 0 : load - capacity_; }

 protected:
  explicit NodeLoads(const Instance& instance);
  // Sets what depends on the capacities.
  void SetCapacities(const std::vector<Vehicle>& vehicles);

 private:
  int32_t dimensions_;
  bool has_shipments_, has_backhauls_ = false, plain_loads_;
  double capacity_, capacity_limit_ = kNoLimit;
  std::vector<double> delivered_, collected_, carried_, most_capacity_, bulk_;
  static NodeIndex EndAt(const std::vector<NodeIndex>& ends, NodeIndex node) {
    return ends.empty() ? -1 : ends[node];
  }

  std::vector<char> linehaul_, backhaul_;
  std::vector<NodeIndex> pickup_of_, delivery_of_;  // [N]; empty without shipments
};

}  // namespace vrp
