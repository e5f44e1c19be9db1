#include "core/search/model/route_rules.h"

#include <utility>

#include "core/problem/instance/customer_rules.h"

namespace vrp {

RouteRules::RouteRules(const Instance& instance) : nodes_(instance.num_nodes()) {
  for (const CustomerRule& rule : instance.data().customer_rules) {
    switch (rule.kind) {
      case RuleKind::kSameRoute:
        break;
      case RuleKind::kDifferentRoutes:
      case RuleKind::kMaxPerRoute:
        AddPlaces(rule.customers, limits(), limits_of_);
        max_.push_back(rule.kind == RuleKind::kDifferentRoutes ? 1 : rule.max);
        limited_.push_back(rule.customers);
        break;
      case RuleKind::kInOrder:
        AddPlaces(rule.customers, orders_++, orders_of_);
        break;
    }
  }
  groups_ = SameRouteGroups(instance.data());
  if (groups_.empty()) return;
  group_of_.assign(nodes_ + 1, -1);
  for (size_t group = 0; group < groups_.size(); ++group) {
    for (const NodeIndex node : groups_[group]) group_of_[node] = static_cast<int32_t>(group);
  }
}

void RouteRules::AddPlaces(const std::vector<NodeIndex>& customers, int32_t rule,
                           std::vector<std::vector<Place>>& places) const {
  places.resize(nodes_ + 1);
  for (size_t i = 0; i < customers.size(); ++i) {
    places[customers[i]].push_back({.rule = rule, .rank = static_cast<int32_t>(i)});
  }
}

// `scratch` holds zeros between calls: the visits of each limit's customers, and the rank after the
// last visit of each order.
bool RouteRules::Allows(std::span<const NodeIndex> nodes, std::vector<int32_t>& scratch) const {
  scratch.resize(max_.size() + orders_);
  bool allowed = true;
  for (const NodeIndex node : nodes) {
    for (const Place& place : LimitsOf(node)) {
      allowed = allowed && ++scratch[place.rule] <= max_[place.rule];
    }
    for (const Place& place : OrdersOf(node)) {
      int32_t& next = scratch[max_.size() + place.rule];
      allowed = allowed && place.rank >= next;
      next = place.rank + 1;
    }
    if (!allowed) break;
  }
  for (const NodeIndex node : nodes) {
    for (const Place& place : LimitsOf(node)) scratch[place.rule] = 0;
    for (const Place& place : OrdersOf(node)) scratch[max_.size() + place.rule] = 0;
  }
  return allowed;
}

}  // namespace vrp
