// Which routes and positions the rules between customers leave to a visit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/route/route_store.h"

namespace vrp {

// Judges one visit after another, or both visits of a shipment. Costs nothing without rules. Not
// thread-safe; `routes` must outlive it.
class RuleFilter {
 public:
  explicit RuleFilter(const RouteStore& routes)
      : routes_(routes), rules_(routes.problem().rules()) {}

  // Looks up which routes may serve `nodes`, in none of which they are. Holds until a route
  // changes.
  void Begin(std::span<const NodeIndex> nodes) {
    if (rules_.any()) Read(nodes);
  }
  // The only route that may serve the nodes; -1: any.
  int32_t bound() const { return bound_; }
  bool Allows(int32_t slot) const {
    return (bound_ < 0 || bound_ == slot) && (blocked_ == 0 || blocked_in_[slot] != blocked_);
  }
  // Returns whether a route that need not be one of the plan has room for `nodes` by the rules that
  // limit the number of their customers.
  bool Allows(std::span<const NodeIndex> nodes, const SearchRoute& route) const;
  // Whether the order of visits counts for one of the nodes.
  bool ordered() const { return ordered_; }
  // Restricts [begin, end), positions that `node` may follow.
  void KeepInOrder(NodeIndex node, const SearchRoute& route, int32_t& begin, int32_t& end) const;

 private:
  void Read(std::span<const NodeIndex> nodes);
  // Returns how many of `nodes` the rule limits.
  int32_t NumberIn(int32_t limit, std::span<const NodeIndex> nodes) const;

  const RouteStore& routes_;
  const RouteRules& rules_;
  int32_t bound_ = -1;
  bool ordered_ = false;
  int64_t blocked_ = 0;  // 0: no slot is; else those with this number are
  int64_t round_ = 0;
  std::vector<int64_t> blocked_in_;  // by slot
  std::vector<int32_t> served_;      // by slot, zeros between calls
};

}  // namespace vrp
