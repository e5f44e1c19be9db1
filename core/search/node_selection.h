// Some nodes of an instance as an instance of their own, in an order of choice.
#pragma once

#include <optional>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// Immutable; thread-safe.
class NodeSelection {
 public:
  // `instance` must be plain (search.h, IsPlain). `nodes`: the depot first, each at most once.
  // `vehicles`: how many there are, 0 for any number.
  static absl::StatusOr<NodeSelection> Of(const Instance& instance, std::vector<NodeIndex> nodes,
                                          int32_t vehicles);

  // All nodes of any instance whose vehicles have no matrices of their own. `nodes`: the depots as
  // they are, then each customer once.
  static absl::StatusOr<NodeSelection> OfAll(const Instance& instance,
                                             std::vector<NodeIndex> nodes);

  const Instance& instance() const { return instance_; }
  // From the numbers of the instance that was given to those of instance(), and back. Customers
  // that were not selected, and numbers that are none, are left out.
  Plan ToSelection(const Plan& plan) const { return Renumbered(plan, selected_); }
  Plan FromSelection(const Plan& plan) const { return Renumbered(plan, nodes_); }

 private:
  NodeSelection(Instance instance, std::vector<NodeIndex> nodes, int64_t given_nodes);
  static Plan Renumbered(const Plan& plan, const std::vector<NodeIndex>& numbers);

  Instance instance_;
  std::vector<NodeIndex> nodes_;     // [M] the given number of each selected node
  std::vector<NodeIndex> selected_;  // [N] the reverse; -1: not selected
};

// All nodes in the order of a space-filling curve, or where they have no positions of a tour to the
// nearest. A search asks about customers that are near each other, whose rows of the distance
// matrix and whose places then share cache lines: 1.4 to 2 times as many perturbations with 1,000
// customers. Nothing where matrices have to be copied and `stop` leaves less than ten times what
// that takes, or vehicles have their own.
std::optional<NodeSelection> InCurveOrder(const Instance& instance, const StopCondition& stop);

}  // namespace vrp
