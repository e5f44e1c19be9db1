// Rules between customers as the search reads them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// Immutable; thread-safe.
class RouteRules {
 public:
  // A customer's place in the list of a rule.
  struct Place {
    int32_t rule = 0;
    int32_t rank = 0;
  };

  RouteRules() = default;
  explicit RouteRules(const Instance& instance);

  bool any() const { return limits_routes() || has_groups(); }
  // Whether a route by itself may break a rule. Removals of visits never do so.
  bool limits_routes() const { return !max_.empty() || orders_ > 0; }
  bool has_orders() const { return orders_ > 0; }
  // Whether some customers must share a route.
  bool has_groups() const { return !groups_.empty(); }

  // Rules that limit how many of their customers a route serves, each with its limit.
  int32_t limits() const { return static_cast<int32_t>(max_.size()); }
  int32_t max(int32_t limit) const { return max_[limit]; }
  std::span<const NodeIndex> CustomersOf(int32_t limit) const { return limited_[limit]; }
  // Rules that order their customers.
  int32_t orders() const { return orders_; }

  // `node` may be an end of a vehicle too, to which no rule applies.
  std::span<const Place> LimitsOf(NodeIndex node) const { return Of(limits_of_, node); }
  std::span<const Place> OrdersOf(NodeIndex node) const { return Of(orders_of_, node); }
  // Returns the customers that must share a route with `node`, with itself; empty if there are
  // none.
  std::span<const NodeIndex> GroupOf(NodeIndex node) const {
    if (groups_.empty() || group_of_[node] < 0) return {};
    return groups_[group_of_[node]];
  }
  // Returns whether a route may serve all `nodes` in this order.
  bool Allows(std::span<const NodeIndex> nodes, std::vector<int32_t>& scratch) const;

 private:
  static std::span<const Place> Of(const std::vector<std::vector<Place>>& places, NodeIndex node) {
    return places.empty() ? std::span<const Place>() : std::span<const Place>(places[node]);
  }
  void AddPlaces(const std::vector<NodeIndex>& customers, int32_t rule,
                 std::vector<std::vector<Place>>& places) const;

  int32_t nodes_ = 0;
  std::vector<int32_t> max_;                     // by limit
  std::vector<std::vector<NodeIndex>> limited_;  // by limit
  int32_t orders_ = 0;
  std::vector<std::vector<Place>> limits_of_, orders_of_;  // [N + 1], or empty
  std::vector<std::vector<NodeIndex>> groups_;
  std::vector<int32_t> group_of_;  // [N + 1], or empty
};

}  // namespace vrp
