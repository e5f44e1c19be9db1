#include "tests/testing/rule_draws.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace vrp::test {
namespace {

constexpr int64_t kCustomersPerRule = 8;
constexpr int64_t kMostInRoute = 3;  // customers of a same_route rule

class RuleDraws {
 public:
  RuleDraws(CounterRandom& random, InstanceData& data) : random_(random), data_(data) {
    order_.resize(data.positions.size() - static_cast<size_t>(data.num_depots));
    std::iota(order_.begin(), order_.end(), data.num_depots);
    for (const Shipment& shipment : data.shipments) std::erase(order_, shipment.delivery);
    random_.Shuffle(std::span<NodeIndex>(order_));
    group_of_.assign(data.positions.size(), -1);
  }

  void Add(RuleKind kind) {
    const int64_t rules = 1 + std::ssize(order_) / kCustomersPerRule;
    for (int64_t i = 0; i < rules; ++i) {
      CustomerRule rule{.kind = kind};
      if (kind == RuleKind::kSameRoute) {
        rule.customers = NextGroup();
      } else {
        rule.customers = Drawn(kind != RuleKind::kInOrder);
      }
      if (kind == RuleKind::kMaxPerRoute) rule.max = 2;
      if (rule.customers.size() >= 2) data_.customer_rules.push_back(std::move(rule));
    }
  }

 private:
  // Returns customers that are in no group yet.
  std::vector<NodeIndex> NextGroup() {
    std::vector<NodeIndex> group;
    const int64_t size = random_.UniformInt(2, kMostInRoute);
    while (std::ssize(group) < size && grouped_ < order_.size()) {
      group_of_[static_cast<size_t>(order_[grouped_])] = groups_;
      group.push_back(order_[grouped_++]);
    }
    ++groups_;
    return group;
  }

  // Returns some customers in the order of all; `apart`: at most one of each group.
  std::vector<NodeIndex> Drawn(bool apart) {
    std::vector<NodeIndex> drawn;
    std::vector<char> used(static_cast<size_t>(groups_), 0);
    const int64_t size = random_.UniformInt(2, 4);
    const auto first = static_cast<size_t>(random_.UniformInt(0, std::ssize(order_) - 1));
    for (size_t i = first; i < order_.size() && std::ssize(drawn) < size; ++i) {
      const int32_t group = group_of_[static_cast<size_t>(order_[i])];
      if (random_.UniformDouble() < 0.3) continue;
      if (apart && group >= 0 && std::exchange(used[static_cast<size_t>(group)], 1)) continue;
      drawn.push_back(order_[i]);
    }
    return drawn;
  }

  CounterRandom& random_;
  InstanceData& data_;
  std::vector<NodeIndex> order_;  // the customers, without deliveries
  std::vector<int32_t> group_of_;
  int32_t groups_ = 0;
  size_t grouped_ = 0;
};

}  // namespace

void AddRules(const std::vector<RuleKind>& kinds, CounterRandom& random, InstanceData& data) {
  RuleDraws draws(random, data);
  for (const RuleKind kind : kinds) draws.Add(kind);
}

}  // namespace vrp::test
