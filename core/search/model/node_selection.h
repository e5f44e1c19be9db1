// Some nodes of an instance as an instance of their own, in an order of choice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// Vehicles of one type.
struct VehicleCount {
  int32_t type = 0;
  int32_t count = 0;  // as VehicleType::count; 0 means any number
};

// A part of an instance as an instance of its own. Immutable; thread-safe.
class NodeSelection {
 public:
  // Selects `nodes` and `vehicles`. `nodes` has all depots in order, then each customer at most
  // once, with all customers of its shipment. `vehicles` has each type at most once. The beginnings
  // of frozen routes are not kept.
  static absl::StatusOr<NodeSelection> Of(const Instance& instance, std::vector<NodeIndex> nodes,
                                          std::span<const VehicleCount> vehicles);

  // Selects all nodes, vehicles and frozen routes. `nodes` is as above, with every customer.
  static absl::StatusOr<NodeSelection> OfAll(const Instance& instance,
                                             std::vector<NodeIndex> nodes);

  const Instance& instance() const { return instance_; }
  // Convert from the numbers of nodes and vehicle types of the given instance to those of
  // instance(), and back. Drop nodes that were not selected or do not exist, and routes of types
  // that were not selected.
  Plan ToSelection(const Plan& plan) const { return Renumbered(plan, selected_, type_to_); }
  Plan FromSelection(const Plan& plan) const { return Renumbered(plan, nodes_, types_); }

 private:
  NodeSelection(Instance instance, std::vector<NodeIndex> nodes, std::vector<int32_t> types,
                const Instance& given);
  static Plan Renumbered(const Plan& plan, const std::vector<NodeIndex>& nodes,
                         const std::vector<int32_t>& types);

  Instance instance_;
  std::vector<NodeIndex> nodes_;     // [M] the given number of each selected node
  std::vector<NodeIndex> selected_;  // [N] the reverse; -1: not selected
  std::vector<int32_t> types_;       // the given number of each selected vehicle type
  std::vector<int32_t> type_to_;     // the reverse; -1: not selected
};

// All nodes in the order of a space-filling curve, or where they have no positions of a tour to the
// nearest. A search asks about customers that are near each other, whose rows of the distance
// matrix and whose places then share cache lines: 1.4 to 2 times as many perturbations with 1,000
// customers. Nothing where matrices have to be copied and `stop` leaves less than ten times what
// that takes, or vehicles have their own.
std::optional<NodeSelection> InCurveOrder(const Instance& instance, const StopCondition& stop);

}  // namespace vrp
