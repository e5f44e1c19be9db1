// Implements the rules for rules between customers.
#include "core/problem/instance/customer_rules.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

// Disjoint sets of nodes.
class NodeSets {
 public:
  explicit NodeSets(size_t nodes) : parent_(nodes) {
    std::iota(parent_.begin(), parent_.end(), NodeIndex{0});
  }

  NodeIndex Find(NodeIndex node) {
    while (Parent(node) != node) node = Parent(node) = Parent(Parent(node));
    return node;
  }
  void Join(NodeIndex a, NodeIndex b) { Parent(Find(a)) = Find(b); }

 private:
  NodeIndex& Parent(NodeIndex node) { return parent_[static_cast<size_t>(node)]; }

  std::vector<NodeIndex> parent_;
};

// `last_rule` [N] has the last rule that names each node, before the one at `index`.
void CheckMembers(const InstanceData& data, size_t index, std::vector<int64_t>& last_rule,
                  FieldErrors& errors) {
  const std::vector<NodeIndex>& customers = data.customer_rules[index].customers;
  const std::string path = Concat("customer_rules[", index, "].customers");
  if (customers.size() < 2) {
    errors.Add(path, "has ", customers.size(), " entries, wanted at least 2 customers");
  }
  const auto nodes = static_cast<int64_t>(last_rule.size());
  for (size_t i = 0; i < customers.size(); ++i) {
    const NodeIndex node = customers[i];
    const std::string entry = Concat(path, "[", i, "]");
    if (node < data.num_depots || node >= nodes) {
      errors.Add(entry, "got node ", node, ", wanted a customer: node ", data.num_depots, " to ",
                 nodes - 1);
      continue;
    }
    int64_t& last = last_rule[static_cast<size_t>(node)];
    if (last == static_cast<int64_t>(index)) {
      errors.Add(entry, NodePath(data, static_cast<size_t>(node)).ToString(),
                 " is already in this rule, wanted it once");
    }
    last = static_cast<int64_t>(index);
  }
}

// Looks for rules that no plan with all of their customers keeps. Customers with alternatives are
// left aside, because another of their group may be served.
class Contradictions {
 public:
  Contradictions(const InstanceData& data, size_t nodes, FieldErrors& errors)
      : data_(data), errors_(errors), group_of_(nodes, -1), after_(nodes), before_(nodes) {
    std::vector<std::vector<NodeIndex>> groups = SameRouteGroups(data);
    for (const std::vector<NodeIndex>& group : groups) AddGroup(group);
    for (const Shipment& shipment : data.shipments) {
      if (GroupOf(shipment.pickup) < 0) AddGroup({shipment.pickup, shipment.delivery});
    }
    for (const std::vector<NodeIndex>& group : data.alternative_groups) {
      for (const NodeIndex node : group) GroupOf(node) = -1;
    }
  }

  void Run() {
    for (size_t i = 0; i < data_.customer_rules.size(); ++i) CheckCount(i);
    AddOrders();
    KeepCycles();
    for (size_t i = 0; i < data_.customer_rules.size(); ++i) CheckOrder(i);
  }

 private:
  int32_t& GroupOf(NodeIndex node) { return group_of_[static_cast<size_t>(node)]; }

  void AddGroup(const std::vector<NodeIndex>& group) {
    for (const NodeIndex node : group) GroupOf(node) = groups_;
    ++groups_;
  }

  std::string PathOf(NodeIndex node) const {
    return NodePath(data_, static_cast<size_t>(node)).ToString();
  }

  void CheckCount(size_t index) {
    const CustomerRule& rule = data_.customer_rules[index];
    if (rule.kind != RuleKind::kDifferentRoutes && rule.kind != RuleKind::kMaxPerRoute) return;
    const size_t most = rule.kind == RuleKind::kDifferentRoutes ? 1 : static_cast<size_t>(rule.max);
    std::vector<std::pair<int32_t, NodeIndex>> members;
    for (const NodeIndex node : rule.customers) {
      if (GroupOf(node) >= 0) members.emplace_back(GroupOf(node), node);
    }
    std::stable_sort(members.begin(), members.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = most; i < members.size(); ++i) {
      if (members[i].first != members[i - most].first) continue;
      errors_.Add(Concat("customer_rules[", index, "].customers"), PathOf(members[i - most].second),
                  " and ", PathOf(members[i].second),
                  " must share a route by other rules or a shipment",
                  most == 1 ? "" : Concat(", with others of this rule"), ", wanted at most ", most,
                  " of them there");
      return;
    }
  }

  // Calls visit(a, b) for the customers of the rule that must share a route, each with the next.
  template <typename Visit>
  void ForEachPair(const CustomerRule& rule, Visit visit) {
    if (rule.kind != RuleKind::kInOrder) return;
    std::vector<std::pair<int32_t, NodeIndex>> members;
    for (const NodeIndex node : rule.customers) {
      if (GroupOf(node) >= 0) members.emplace_back(GroupOf(node), node);
    }
    std::stable_sort(members.begin(), members.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 1; i < members.size(); ++i) {
      if (members[i].first == members[i - 1].first) {
        visit(members[i - 1].second, members[i].second);
      }
    }
  }

  void AddOrder(NodeIndex from, NodeIndex to) {
    after_[static_cast<size_t>(from)].push_back(to);
    before_[static_cast<size_t>(to)].push_back(from);
  }

  void AddOrders() {
    for (const CustomerRule& rule : data_.customer_rules) {
      ForEachPair(rule, [this](NodeIndex from, NodeIndex to) { AddOrder(from, to); });
    }
    for (const Shipment& shipment : data_.shipments) {
      if (GroupOf(shipment.pickup) >= 0) AddOrder(shipment.pickup, shipment.delivery);
    }
  }

  // Marks the nodes that are on cycles, or on ways from one cycle to another.
  void KeepCycles() {
    in_cycle_.assign(group_of_.size(), 1);
    DropEnds(before_, after_);
    DropEnds(after_, before_);
  }

  // Drops nodes that no kept one precedes by `before`, until none is left.
  void DropEnds(const std::vector<std::vector<NodeIndex>>& before,
                const std::vector<std::vector<NodeIndex>>& after) {
    std::vector<size_t> count(in_cycle_.size(), 0);
    std::vector<size_t> free;
    for (size_t node = 0; node < count.size(); ++node) {
      for (const NodeIndex other : before[node])
        count[node] += in_cycle_[static_cast<size_t>(other)];
      if (in_cycle_[node] && count[node] == 0) free.push_back(node);
    }
    while (!free.empty()) {
      const size_t node = free.back();
      free.pop_back();
      in_cycle_[node] = 0;
      for (const NodeIndex other : after[node]) {
        const auto at = static_cast<size_t>(other);
        if (--count[at] == 0 && in_cycle_[at]) free.push_back(at);
      }
    }
  }

  void CheckOrder(size_t index) {
    ForEachPair(data_.customer_rules[index], [&](NodeIndex from, NodeIndex to) {
      if (!in_cycle_[static_cast<size_t>(from)] || !in_cycle_[static_cast<size_t>(to)]) return;
      errors_.Add(Concat("customer_rules[", index, "].customers"), PathOf(from), " before ",
                  PathOf(to),
                  " contradicts other rules or shipments, and both must share a route; wanted one "
                  "order");
    });
  }

  const InstanceData& data_;
  FieldErrors& errors_;
  std::vector<int32_t> group_of_;  // [N] customers with the same number must share a route
  int32_t groups_ = 0;
  std::vector<std::vector<NodeIndex>> after_, before_;  // [N]
  std::vector<char> in_cycle_;                          // [N]
};

}  // namespace

std::vector<std::vector<NodeIndex>> SameRouteGroups(const InstanceData& data) {
  const auto is_group = [](const CustomerRule& rule) { return rule.kind == RuleKind::kSameRoute; };
  if (std::ranges::none_of(data.customer_rules, is_group)) return {};
  const auto nodes = static_cast<size_t>(NodeCount(data));
  NodeSets sets(nodes);
  std::vector<char> ruled(nodes, 0);
  for (const CustomerRule& rule : data.customer_rules) {
    if (!is_group(rule)) continue;
    for (const NodeIndex node : rule.customers) {
      sets.Join(node, rule.customers.front());
      ruled[static_cast<size_t>(node)] = 1;
    }
  }
  for (const auto& [id, pickup, delivery, amounts] : data.shipments) {
    char& a = ruled[static_cast<size_t>(pickup)];
    char& b = ruled[static_cast<size_t>(delivery)];
    if (!a && !b) continue;
    sets.Join(pickup, delivery);
    a = b = 1;
  }
  std::vector<int32_t> group_at(nodes, -1);
  std::vector<std::vector<NodeIndex>> groups;
  for (NodeIndex node = data.num_depots; node < static_cast<NodeIndex>(nodes); ++node) {
    if (!ruled[static_cast<size_t>(node)]) continue;
    int32_t& group = group_at[static_cast<size_t>(sets.Find(node))];
    if (group < 0) {
      group = static_cast<int32_t>(groups.size());
      groups.emplace_back();
    }
    groups[static_cast<size_t>(group)].push_back(node);
  }
  return groups;
}

void CheckCustomerRules(const InstanceData& data, size_t nodes, FieldErrors& errors) {
  if (data.customer_rules.empty()) return;
  std::vector<int64_t> last_rule(nodes, -1);
  for (size_t i = 0; i < data.customer_rules.size(); ++i) {
    const CustomerRule& rule = data.customer_rules[i];
    const std::string path = Concat("customer_rules[", i, "]");
    CheckMembers(data, i, last_rule, errors);
    const bool limits = rule.kind == RuleKind::kMaxPerRoute;
    if (limits && rule.max == INT32_MAX) {
      errors.Add(path + ".max", "absent, wanted at least 1");
    } else if (limits && rule.max < 1) {
      errors.Add(path + ".max", "got ", rule.max, ", wanted at least 1");
    } else if (!limits && rule.max != INT32_MAX) {
      errors.Add(path + ".max", "got ", rule.max, ", wanted none: only max_per_route has it");
    }
  }
}

void CheckRuleContradictions(const InstanceData& data, size_t nodes, FieldErrors& errors) {
  if (!data.customer_rules.empty()) Contradictions(data, nodes, errors).Run();
}

}  // namespace vrp
