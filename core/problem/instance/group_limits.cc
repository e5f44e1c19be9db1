#include "core/problem/instance/group_limits.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/problem/instance/customer_rules.h"

namespace vrp {
namespace {

// Largest rounding error of a sum of loads, relative to the capacity.
constexpr double kGroupRounding = 1e-9;

// Whether the rules and the values of nodes can be read.
bool IsReadable(const InstanceData& data) {
  const NodeIndex nodes = NodeCount(data);
  const auto is_customer = [&](NodeIndex node) { return node >= data.num_depots && node < nodes; };
  const auto count = static_cast<size_t>(nodes);
  const auto loads = count * static_cast<size_t>(std::max(1, data.load_dimensions));
  const auto has_size = [](const auto& values, size_t size) {
    return values.empty() || values.size() == size;
  };
  return std::ranges::all_of(data.customer_rules,
                             [&](const CustomerRule& rule) {
                               return std::ranges::all_of(rule.customers, is_customer);
                             }) &&
         std::ranges::all_of(data.shipments,
                             [&](const Shipment& shipment) {
                               return is_customer(shipment.pickup) &&
                                      is_customer(shipment.delivery);
                             }) &&
         std::ranges::all_of(data.alternative_groups,
                             [&](const std::vector<NodeIndex>& group) {
                               return std::ranges::all_of(group, is_customer);
                             }) &&
         has_size(data.demands, loads) && has_size(data.backhauls, loads) &&
         has_size(data.pickups, loads) && has_size(data.prizes, count) &&
         has_size(data.required_skills, count);
}

// The stops, loads and skills that one vehicle needs to serve a group.
struct Needs {
  int32_t stops = 0;
  std::array<std::vector<double>, 3> loads = {};  // by kFields, then [K]
  std::set<std::string> skills = {};
};
constexpr std::array<std::string_view, 3> kFields = {"demand", "backhaul", "pickup"};

class GroupFinder {
 public:
  GroupFinder(const InstanceData& data, FieldErrors& errors)
      : data_(data), errors_(errors), is_optional_(NodeCount(data)) {
    for (size_t node = 0; node < data.prizes.size(); ++node) {
      is_optional_[node] = data.prizes[node] != kNoLimit;
    }
    for (const std::vector<NodeIndex>& group : data.alternative_groups) {
      for (const NodeIndex node : group) is_optional_[node] = true;
    }
  }

  void Run() {
    for (const std::vector<NodeIndex>& group : SameRouteGroups(data_)) {
      const Needs needs = NeedsOf(group);
      const auto serves = [&](const VehicleType& vehicle) {
        return Carries(vehicle, needs) && needs.stops <= vehicle.max_stops &&
               HasSkills(vehicle, needs);
      };
      if (!std::ranges::any_of(data_.vehicles, serves)) {
        errors_.Add(RulePath(group), "the customers that must share a route ", Reason(needs));
      }
    }
  }

 private:
  size_t dimensions() const { return static_cast<size_t>(std::max(1, data_.load_dimensions)); }

  Needs NeedsOf(const std::vector<NodeIndex>& group) const {
    const std::array<const std::vector<double>*, 3> fields = {&data_.demands, &data_.backhauls,
                                                              &data_.pickups};
    Needs needs;
    for (std::vector<double>& loads : needs.loads) loads.resize(dimensions());
    for (const NodeIndex node : group) {
      if (is_optional_[node]) continue;
      ++needs.stops;
      for (size_t f = 0; f < fields.size(); ++f) {
        if (fields[f]->empty()) continue;
        for (size_t k = 0; k < dimensions(); ++k) {
          needs.loads[f][k] += (*fields[f])[static_cast<size_t>(node) * dimensions() + k];
        }
      }
      if (data_.required_skills.empty()) continue;
      needs.skills.insert(data_.required_skills[node].begin(), data_.required_skills[node].end());
    }
    return needs;
  }

  static bool Fits(const VehicleType& vehicle, double load, size_t dimension) {
    // False also for NaN, which other rules report.
    return !(load > LargestLoad(vehicle, static_cast<int32_t>(dimension)) * (1 + kGroupRounding));
  }
  bool Carries(const VehicleType& vehicle, const Needs& needs) const {
    if (vehicle.max_reloads > 0) return true;
    for (const std::vector<double>& loads : needs.loads) {
      for (size_t k = 0; k < loads.size(); ++k) {
        if (!Fits(vehicle, loads[k], k)) return false;
      }
    }
    return true;
  }
  static bool HasSkills(const VehicleType& vehicle, const Needs& needs) {
    return std::ranges::all_of(needs.skills, [&](const std::string& skill) {
      return std::ranges::count(vehicle.skills, skill) > 0;
    });
  }

  // Returns the first need that no vehicle meets, or that all of them together are too much.
  std::string Reason(const Needs& needs) const {
    for (size_t f = 0; f < kFields.size(); ++f) {
      for (size_t k = 0; k < dimensions(); ++k) {
        double largest = 0;
        for (const VehicleType& vehicle : data_.vehicles) {
          largest = std::max(largest, vehicle.max_reloads > 0
                                          ? kNoLimit
                                          : LargestLoad(vehicle, static_cast<int32_t>(k)));
        }
        if (needs.loads[f][k] <= largest * (1 + kGroupRounding)) continue;
        const std::string place = dimensions() == 1 ? "" : Concat("[", k, "]");
        return Concat("have ", kFields[f], place, " ", FormatNumber(needs.loads[f][k]),
                      ", which exceeds vehicle capacity ", FormatNumber(largest));
      }
    }
    const auto stops = std::ranges::max(data_.vehicles, {}, &VehicleType::max_stops).max_stops;
    if (needs.stops > stops) {
      return Concat("are ", needs.stops, ", but no vehicle may make more than ", stops, " stops");
    }
    return "need a vehicle with the capacity, the stops and the skills for all of them, and there "
           "is none";
  }

  // Returns the first rule that names a customer of the group.
  std::string RulePath(const std::vector<NodeIndex>& group) const {
    for (size_t i = 0; i < data_.customer_rules.size(); ++i) {
      const CustomerRule& rule = data_.customer_rules[i];
      if (rule.kind == RuleKind::kSameRoute &&
          std::ranges::count(group, rule.customers.front()) > 0) {
        return Concat("customer_rules[", i, "].customers");
      }
    }
    return "customer_rules";
  }

  const InstanceData& data_;
  FieldErrors& errors_;
  std::vector<bool> is_optional_;  // [N]
};

}  // namespace

void FindOversizeGroups(const InstanceData& data, FieldErrors& errors) {
  const bool empty_rule = std::ranges::any_of(
      data.customer_rules, [](const CustomerRule& rule) { return rule.customers.empty(); });
  if (data.customer_rules.empty() || empty_rule || !IsReadable(data)) return;
  GroupFinder(data, errors).Run();
}

}  // namespace vrp
