#include "core/search/ruin_recreate/rule_filter.h"

#include <algorithm>

namespace vrp {

void RuleFilter::Read(std::span<const NodeIndex> nodes) {
  bound_ = -1;
  ordered_ = false;
  blocked_ = 0;
  ++round_;
  blocked_in_.resize(routes_.slots(), 0);
  served_.resize(routes_.slots(), 0);
  for (const NodeIndex node : nodes) {
    if (bound_ < 0) bound_ = routes_.BoundSlot(node);
    ordered_ = ordered_ || !rules_.OrdersOf(node).empty();
    for (const RouteRules::Place& place : rules_.LimitsOf(node)) {
      const int32_t most = rules_.max(place.rule) - NumberIn(place.rule, nodes);
      const auto customers = rules_.CustomersOf(place.rule);
      for (const NodeIndex other : customers) {
        const int32_t slot = routes_.RouteOf(other);
        if (slot < 0 || ++served_[slot] <= most) continue;
        blocked_in_[slot] = blocked_ = round_;
      }
      for (const NodeIndex other : customers) {
        if (routes_.RouteOf(other) >= 0) served_[routes_.RouteOf(other)] = 0;
      }
    }
  }
}

int32_t RuleFilter::NumberIn(int32_t limit, std::span<const NodeIndex> nodes) const {
  return static_cast<int32_t>(std::ranges::count_if(nodes, [&](NodeIndex node) {
    return std::ranges::any_of(rules_.LimitsOf(node),
                               [&](const RouteRules::Place& place) { return place.rule == limit; });
  }));
}

bool RuleFilter::Allows(std::span<const NodeIndex> nodes, const SearchRoute& route) const {
  for (const NodeIndex node : nodes) {
    for (const RouteRules::Place& place : rules_.LimitsOf(node)) {
      if (NumberIn(place.rule, route.nodes) + NumberIn(place.rule, nodes) >
          rules_.max(place.rule)) {
        return false;
      }
    }
  }
  return true;
}

void RuleFilter::KeepInOrder(NodeIndex node, const SearchRoute& route, int32_t& begin,
                             int32_t& end) const {
  const auto own = rules_.OrdersOf(node);
  for (int32_t i = 1; !own.empty() && i + 1 < route.size(); ++i) {
    for (const RouteRules::Place& other : rules_.OrdersOf(route.nodes[i])) {
      for (const RouteRules::Place& place : own) {
        if (place.rule != other.rule) continue;
        if (other.rank < place.rank) begin = std::max(begin, i);
        if (other.rank > place.rank) end = std::min(end, i);
      }
    }
  }
  end = std::max(begin, end);
}

}  // namespace vrp
