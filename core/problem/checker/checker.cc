#include "core/problem/checker/checker.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "core/base/number.h"
#include "core/problem/checker/checker_data.h"
#include "core/problem/checker/checker_route.h"

namespace vrp {
namespace {

// The position of a customer's first visit in the plan.
struct FirstVisit {
  int32_t route = -1;
  size_t index = 0;
};

// A checker of a whole plan. RouteChecker checks each of its routes.
class PlanChecker {
 public:
  PlanChecker(const Instance& instance, const Plan& plan)
      : data_(instance.data()),
        raw_(instance.data()),
        frozen_(instance.frozen()),
        plan_(plan),
        visits_(raw_.ids.size()),
        in_group_(raw_.ids.size(), false) {}

  CheckReport Run(std::optional<Cost> claimed_cost) && {
    report_.routes.resize(plan_.size());
    for (size_t r = 0; r < plan_.size(); ++r) CheckRoute(static_cast<int32_t>(r));
    CheckShipments();
    CheckGroups();
    CheckTogether();
    CheckMissing();
    CheckFleet();
    CheckFrozen();
    CheckBalance();
    report_.cost = (SumsDistances() ? InUnits(cost_) : cost_) + further_cost_;
    if (claimed_cost.has_value()) CheckClaim(*claimed_cost);
    report_.feasible = report_.violations.empty();
    return std::move(report_);
  }

 private:
  template <typename... Parts>
  void Add(Violation violation, const Parts&... parts) {
    violation.message = violation.route < 0 ? Concat(parts...)
                                            : Concat("routes[", violation.route, "]: ", parts...);
    report_.violations.push_back(std::move(violation));
  }

  bool SumsDistances() const {
    return raw_.objective == Objective::kDistance ||
           raw_.objective == Objective::kVehiclesThenDistance;
  }

  Cost InUnits(double sum) const {
    const double steps = data_.steps_per_unit();
    return steps == 0 ? sum : std::floor(sum * steps + 0.5) / steps;
  }

  FirstVisit& VisitOf(NodeIndex node) { return visits_[static_cast<size_t>(node)]; }
  bool Visited(NodeIndex node) { return VisitOf(node).route >= 0; }

  void CheckRoute(int32_t r) {
    const PlannedRoute& route = plan_[static_cast<size_t>(r)];
    const VehicleType unlimited;
    const VehicleType* vehicle = &unlimited;
    const bool tsp = raw_.vehicles.empty();
    const int64_t types = tsp ? 1 : static_cast<int64_t>(raw_.vehicles.size());
    if (route.vehicle_type < 0 || route.vehicle_type >= types) {
      Add({.kind = ViolationKind::kUnknownVehicle, .route = r}, "vehicle type ", route.vehicle_type,
          " does not exist, wanted 0 to ", types - 1);
    } else if (!tsp) {
      vehicle = &raw_.vehicles[static_cast<size_t>(route.vehicle_type)];
    }
    std::vector<NodeIndex> path = ValidPath(r, *vehicle);
    if (!route.customers.empty()) ++used_[route.vehicle_type];
    if (path.size() == 1) return;
    if (!vehicle->open_end) {
      path.push_back(vehicle->end_depot == kSameAsStart ? vehicle->depot : vehicle->end_depot);
    }
    RouteFigures& figures = report_.routes[static_cast<size_t>(r)];
    figures = RouteChecker(data_, r, *vehicle, path, report_.violations).Run();
    AddCost(*vehicle, figures);
    if (raw_.balance.has_value()) measures_.emplace_back(MeasureOf(path, figures), r);
  }

  // Returns what the instance balances of the route.
  double MeasureOf(const std::vector<NodeIndex>& path, const RouteFigures& figures) const {
    double load = 0;
    double stops = 0;
    for (const NodeIndex node : path) {
      if (data_.is_depot(node)) continue;
      load += data_.Handled(node, 0);
      ++stops;
    }
    switch (raw_.balance->measure) {
      case BalanceMeasure::kDuration:
        return figures.duration;
      case BalanceMeasure::kDistance:
        return figures.distance;
      case BalanceMeasure::kLoad:
        return load;
      case BalanceMeasure::kStops:
        return stops;
    }
    return 0;
  }

  void AddCost(const VehicleType& vehicle, const RouteFigures& figures) {
    further_cost_ += figures.late_cost;
    switch (raw_.objective) {
      case Objective::kDistance:
      case Objective::kVehiclesThenDistance:
        cost_ += figures.distance;
        return;
      case Objective::kDuration:
        cost_ += figures.duration;
        return;
      case Objective::kCost: {
        const double over = figures.duration - vehicle.max_duration;
        cost_ += vehicle.fixed_cost + vehicle.cost_per_distance * figures.distance +
                 vehicle.cost_per_time * figures.duration +
                 vehicle.cost_per_service_time * figures.work +
                 vehicle.cost_per_travel_time * figures.driving;
        if (over > 0) cost_ += vehicle.overtime_cost * over;
        return;
      }
    }
  }

  // Checks the nodes of the route. Returns the start depot, all visits of customers, and reloads at
  // the start depot. Reports repeated visits and all other nodes.
  std::vector<NodeIndex> ValidPath(int32_t r, const VehicleType& vehicle) {
    std::vector<NodeIndex> path = {vehicle.depot};
    for (const NodeIndex node : plan_[static_cast<size_t>(r)].customers) {
      if (node >= 0 && data_.is_depot(node) && vehicle.max_reloads > 0) {
        std::vector<NodeIndex> allowed = vehicle.reload_depots;
        if (allowed.empty()) allowed.push_back(vehicle.depot);
        if (std::count(allowed.begin(), allowed.end(), node) > 0) {
          path.push_back(node);
          continue;
        }
        std::string wanted;
        for (const NodeIndex depot : allowed) wanted += Concat(" ", data_.id(depot));
        Add({.kind = ViolationKind::kReload, .route = r, .node = node, .amount = 1},
            "reloads at depot ", data_.id(node), ", wanted one of", wanted);
        continue;
      }
      if (node < raw_.num_depots || node >= data_.nodes()) {
        Add({.kind = ViolationKind::kUnknownNode, .route = r, .node = node}, "node ", node,
            " is not a customer, wanted ", raw_.num_depots, " to ", data_.nodes() - 1);
        continue;
      }
      if (Visited(node)) {
        Add({.kind = ViolationKind::kDuplicateCustomer, .route = r, .node = node, .amount = 1},
            "customer ", data_.id(node), " is visited again");
      } else {
        VisitOf(node) = {.route = r, .index = path.size()};
      }
      path.push_back(node);
    }
    return path;
  }

  void CheckShipments() {
    for (size_t i = 0; i < raw_.shipments.size(); ++i) {
      const Shipment& shipment = raw_.shipments[i];
      const FirstVisit from = VisitOf(shipment.pickup);
      const FirstVisit to = VisitOf(shipment.delivery);
      const std::string name =
          shipment.id.empty() ? Concat("shipments[", i, "]") : Concat("shipment ", shipment.id);
      if (from.route < 0 && to.route < 0) continue;
      Violation violation{.kind = ViolationKind::kShipment, .node = shipment.delivery, .amount = 1};
      violation.route = to.route >= 0 ? to.route : from.route;
      if (to.route < 0) {
        Add(violation, name, " is picked up at customer ", data_.id(shipment.pickup),
            ", but not delivered");
      } else if (from.route < 0) {
        Add(violation, name, " is delivered to customer ", data_.id(shipment.delivery),
            ", but not picked up");
      } else if (from.route != to.route) {
        Add(violation, name,
            " is delivered by another route than the one that picks it up, routes[", from.route,
            "]");
      } else if (from.index > to.index) {
        Add(violation, name, " is delivered to customer ", data_.id(shipment.delivery),
            " before it is picked up");
      }
    }
  }

  void CheckGroups() {
    for (size_t i = 0; i < raw_.alternative_groups.size(); ++i) {
      const std::vector<NodeIndex>& group = raw_.alternative_groups[i];
      int64_t served = 0;
      double weight = 0;
      double best_prize = 0;
      double earned = 0;
      bool must_be_served = false;
      for (const NodeIndex node : group) {
        served += Visited(node) ? 1 : 0;
        const Shipment* const shipment = data_.ShipmentAt(node);
        const NodeIndex delivery = shipment == nullptr ? node : shipment->delivery;
        weight =
            std::max(weight, data_.Weight(node) + (delivery == node ? 0 : data_.Weight(delivery)));
        const double prize = data_.Prize(node) + (delivery == node ? 0 : data_.Prize(delivery));
        if (prize == kNoLimit) {
          must_be_served = true;
        } else {
          best_prize = std::max(best_prize, prize);
          if (Visited(node)) earned = std::max(earned, prize);
        }
        in_group_[static_cast<size_t>(node)] = in_group_[static_cast<size_t>(delivery)] = true;
      }
      if (served > 0 || !must_be_served) further_cost_ += best_prize - earned;
      if (served > 1) {
        Add({.kind = ViolationKind::kAlternatives, .amount = static_cast<double>(served - 1)},
            served, " customers of alternative_groups[", i, "] are visited, wanted one");
      } else if (served == 0 && must_be_served) {
        report_.left_out += weight;
        Add({.kind = ViolationKind::kMissingCustomer, .node = group.front(), .amount = 1},
            "no customer of alternative_groups[", i, "] is visited");
      }
    }
  }

  void CheckTogether() {
    for (const std::vector<NodeIndex>& customers : data_.together()) {
      NodeIndex first = -1;
      for (const NodeIndex node : customers) {
        if (!Visited(node)) continue;
        if (first < 0) first = node;
        const int32_t route = VisitOf(node).route;
        if (route == VisitOf(first).route) continue;
        Add({.kind = ViolationKind::kSameRoute, .route = route, .node = node, .amount = 1},
            "serves customer ", data_.id(node), ", which must share a route with customer ",
            data_.id(first), " on routes[", VisitOf(first).route, "]");
      }
    }
  }

  void CheckMissing() {
    for (NodeIndex node = raw_.num_depots; node < data_.nodes(); ++node) {
      if (Visited(node) || in_group_[static_cast<size_t>(node)]) continue;
      if (data_.Prize(node) != kNoLimit) {
        further_cost_ += data_.Prize(node);
        continue;
      }
      report_.left_out += data_.Weight(node);
      Add({.kind = ViolationKind::kMissingCustomer, .node = node, .amount = 1}, "customer ",
          data_.id(node), " is not visited");
    }
  }

  void CheckFleet() {
    if (raw_.kind == ProblemKind::kTsp) {
      int64_t tours = 0;
      for (const auto& [type, count] : used_) tours += count;
      if (tours == 1) return;
      Add({.kind = ViolationKind::kTourCount, .amount = std::abs(static_cast<double>(tours) - 1)},
          "the plan has ", tours, " tours, wanted 1");
      return;
    }
    for (size_t type = 0; type < raw_.vehicles.size(); ++type) {
      const int64_t limit = raw_.vehicles[type].count;
      const auto used = used_.find(static_cast<int32_t>(type));
      if (limit == 0 || used == used_.end() || used->second <= limit) continue;
      Add({.kind = ViolationKind::kFleetSize, .amount = static_cast<double>(used->second - limit)},
          used->second, " routes use vehicles[", type, "], of which there are ", limit);
    }
  }

  void CheckFrozen() {
    for (const FrozenRoute& frozen : frozen_) {
      const auto& visits = frozen.visits;
      const bool kept = std::any_of(plan_.begin(), plan_.end(), [&](const PlannedRoute& route) {
        return route.vehicle_type == frozen.vehicle_type &&
               route.customers.size() >= visits.size() &&
               std::equal(visits.begin(), visits.end(), route.customers.begin());
      });
      if (kept) continue;
      std::string ids;
      for (const NodeIndex node : visits) ids += Concat(" ", data_.id(node));
      Add({.kind = ViolationKind::kFrozenStops, .node = visits.front(), .amount = 1},
          "no route of vehicles[", frozen.vehicle_type, "] begins with the frozen stops", ids);
    }
  }

  void CheckBalance() {
    if (!raw_.balance.has_value()) return;
    int64_t vehicles = 0;
    for (const VehicleType& type : raw_.vehicles) vehicles += type.count;
    const auto used = static_cast<int64_t>(measures_.size());
    if (raw_.balance->all_vehicles && used < vehicles) measures_.emplace_back(0, -1);
    if (measures_.size() < 2) return;
    const auto [least, most] = std::minmax_element(measures_.begin(), measures_.end());
    const double spread = most->first - least->first;
    further_cost_ += raw_.balance->cost * spread;
    const double limit = raw_.balance->max_spread;
    const bool timed = raw_.balance->measure == BalanceMeasure::kDuration;
    const double tolerance = timed ? data_.time_tolerance() : 1e-6;
    if (spread <= limit + std::max(tolerance, 1e-6 * limit) + 2e-9 * most->first) return;
    constexpr std::string_view kMeasures[] = {"durations", "distances", "loads", "stops"};
    Add({.kind = ViolationKind::kBalance, .amount = spread - limit},
        "routes: ", kMeasures[static_cast<size_t>(raw_.balance->measure)], " differ by ",
        Shown(spread), ", from ", Shown(least->first), " (", RouteName(least->second), ") to ",
        Shown(most->first), " (", RouteName(most->second), "), limit ", FormatNumber(limit));
  }

  static std::string Shown(double value) { return FormatNumber(std::round(1e6 * value) / 1e6); }
  static std::string RouteName(int32_t route) {
    return route < 0 ? "an unused vehicle" : Concat("routes[", route, "]");
  }

  void CheckClaim(Cost claimed) {
    const double steps = SumsDistances() ? data_.steps_per_unit() : 0;
    const double relative = 1e-6 * std::max(1.0, std::abs(report_.cost));
    const double allowed =
        steps == 0 ? std::max(relative, HalfOfLastDecimal(claimed)) : 0.5 / steps + 1e-9;
    const double difference = std::abs(claimed - report_.cost);
    if (difference <= allowed) return;  // false for NaN, which is a mismatch
    Add({.kind = ViolationKind::kCostMismatch, .amount = difference}, "claimed cost ",
        FormatNumber(claimed), ", but the plan costs ", FormatNumber(report_.cost));
  }

  // Returns the largest rounding error of a published cost: 0.005 for 1618.36, 0 for an integer.
  static double HalfOfLastDecimal(Cost claimed) {
    const std::string text = FormatNumber(claimed);
    const size_t point = text.find('.');
    if (point == text.npos || text.find('e') != text.npos) return 0;
    return 0.5 * std::pow(10.0, -static_cast<double>(text.size() - point - 1)) + 1e-9;
  }

  const CheckerData data_;
  const InstanceData& raw_;
  const std::span<const FrozenRoute> frozen_;
  const Plan& plan_;
  std::vector<FirstVisit> visits_;  // [N]
  std::vector<bool> in_group_;
  double cost_ = 0;          // unrounded part of the objective
  double further_cost_ = 0;  // lateness, lost prizes and the spread between routes
  std::vector<std::pair<double, int32_t>> measures_;  // balanced measures and their routes
  std::map<int32_t, int64_t> used_;                   // number of non-empty routes by vehicle type
  CheckReport report_;
};

}  // namespace

bool RoutesAreFeasible(const CheckReport& report) {
  return std::all_of(report.violations.begin(), report.violations.end(),
                     [](const Violation& v) { return v.kind == ViolationKind::kMissingCustomer; });
}

double CapacityWithRounding(double capacity) {
  constexpr double kLoadRounding = 1e-9;
  return capacity + kLoadRounding * std::max(1.0, capacity);
}

CheckReport CheckPlan(const Instance& instance, const Plan& plan,
                      std::optional<Cost> claimed_cost) {
  return PlanChecker(instance, plan).Run(claimed_cost);
}

}  // namespace vrp
