#include "core/problem/plan/plan_value.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/problem/instance/travel_time.h"
#include "core/problem/plan/route_balance.h"

namespace vrp {
namespace {

// Returns the figures of each non-empty route. Computes times only if the cost depends on them.
std::vector<RouteFigures> MeasureRoutes(const Instance& instance, const Plan& plan) {
  const RouteScheduler scheduler(instance);
  const Objective objective = instance.data().objective;
  const std::optional<Balance>& balance = instance.data().balance;
  const bool cost_uses_duration =
      objective == Objective::kDuration || objective == Objective::kCost ||
      (balance.has_value() && balance->measure == BalanceMeasure::kDuration);
  std::vector<RouteFigures> figures;
  figures.reserve(plan.size());
  for (const PlannedRoute& route : plan) {
    if (route.customers.empty()) continue;
    RouteFigures& added = figures.emplace_back();
    added.distance = RouteDistance(instance, route);
    if (VehicleOf(instance, route).cost_per_service_time != 0) {
      added.work = RouteWork(instance, route);
    }
    const bool needs_duration =
        cost_uses_duration && scheduler.NeedsDuration(VehicleOf(instance, route));
    RouteSchedule schedule;
    if (needs_duration || scheduler.has_soft_windows()) {
      schedule = scheduler.Make(route);
      added.duration = schedule.duration();
      added.late_cost = schedule.late_cost;
    }
    if (VehicleOf(instance, route).cost_per_travel_time != 0) {
      added.driving = RouteDriving(instance, route, schedule.stops);
    }
  }
  return figures;
}

// Returns the travel time of a vehicle with travel times by departure.
double TravelTimeFrom(const Instance& instance, const VehicleType& vehicle, NodeIndex from,
                      NodeIndex to, double departure) {
  std::vector<double> departures;
  std::vector<double> times;
  for (const TimedMatrix& entry : TimedMatricesOf(instance.data(), vehicle)) {
    departures.push_back(entry.at);
    times.push_back(instance.Duration(entry, from, to));
  }
  return TravelTime(departures, times.data()).From(departure);
}

// Adds the cost of one used vehicle.
void AddRouteCost(Objective objective, const VehicleType& vehicle, const RouteFigures& figures,
                  CostSplit& split) {
  split.late += figures.late_cost;
  if (objective == Objective::kDuration) {
    split.duration += figures.duration;
  } else if (objective != Objective::kCost) {
    split.distance += figures.distance;
  } else {
    split.fixed += vehicle.fixed_cost;
    split.distance += vehicle.cost_per_distance * figures.distance;
    split.duration += vehicle.cost_per_time * figures.duration +
                      vehicle.cost_per_service_time * figures.work +
                      vehicle.cost_per_travel_time * figures.driving;
    if (vehicle.overtime_cost == 0) return;
    split.overtime +=
        vehicle.overtime_cost * std::max(0.0, figures.duration - vehicle.max_duration);
  }
}

// A collector of the customers that no route visits, in and outside of groups.
class UnservedFinder {
 public:
  UnservedFinder(const Instance& instance, const Plan& plan)
      : data_(instance.data()), counted_(static_cast<size_t>(instance.num_nodes()), false) {
    for (const PlannedRoute& route : plan) {
      for (const NodeIndex node : route.customers) counted_[static_cast<size_t>(node)] = true;
    }
    first_ = instance.kind() == ProblemKind::kTsp ? 1 : instance.num_depots();
    if (data_.alternative_groups.empty()) return;
    for (const Shipment& shipment : data_.shipments) {
      delivery_of_[shipment.pickup] = shipment.delivery;
    }
  }

  UnservedCustomers Run() && {
    for (const std::vector<NodeIndex>& group : data_.alternative_groups) AddGroup(group);
    for (NodeIndex node = first_; node < static_cast<NodeIndex>(counted_.size()); ++node) {
      if (counted_[static_cast<size_t>(node)]) continue;
      unserved_.customers.push_back(node);
      Add(Prize(node), Weight(node));
    }
    std::sort(unserved_.customers.begin(), unserved_.customers.end());
    return std::move(unserved_);
  }

 private:
  double Prize(NodeIndex node) const {
    return data_.prizes.empty() ? kNoLimit : data_.prizes[static_cast<size_t>(node)];
  }

  double Weight(NodeIndex node) const {
    return data_.priorities.empty() ? 1 : 1.0 + data_.priorities[static_cast<size_t>(node)];
  }

  void Add(double prize, double weight) {
    if (prize == kNoLimit) {
      unserved_.weight += weight;
    } else {
      unserved_.prizes += prize;
    }
  }

  void AddGroup(const std::vector<NodeIndex>& group) {
    const bool served = std::any_of(group.begin(), group.end(), [this](NodeIndex node) {
      return counted_[static_cast<size_t>(node)];
    });
    double weight = 0;
    double largest_prize = 0;
    double served_prize = 0;
    bool required = false;
    for (const NodeIndex member : group) {
      double own_weight = 0;
      double prize = 0;
      const bool serves = counted_[static_cast<size_t>(member)];
      for (const NodeIndex node : NodesOf(member)) {
        counted_[static_cast<size_t>(node)] = true;
        own_weight += Weight(node);
        prize += Prize(node);
        if (!served) unserved_.customers.push_back(node);
      }
      weight = std::max(weight, own_weight);
      required = required || prize == kNoLimit;
      if (prize == kNoLimit) prize = 0;
      largest_prize = std::max(largest_prize, prize);
      if (serves) served_prize = std::max(served_prize, prize);
    }
    if (served) {
      unserved_.prizes += largest_prize - served_prize;
    } else {
      Add(required ? kNoLimit : largest_prize, weight);
    }
  }

  // Returns a member of a group, with the delivery if it is the pickup of a shipment.
  std::vector<NodeIndex> NodesOf(NodeIndex member) const {
    const auto delivery = delivery_of_.find(member);
    if (delivery == delivery_of_.end()) return {member};
    return {member, delivery->second};
  }

  const InstanceData& data_;
  std::vector<bool> counted_;
  std::unordered_map<NodeIndex, NodeIndex> delivery_of_;  // by pickup; empty without groups
  NodeIndex first_ = 0;
  UnservedCustomers unserved_;
};

}  // namespace

double RouteDistance(const Instance& instance, const PlannedRoute& route) {
  if (route.customers.empty()) return 0;
  const VehicleType& vehicle = VehicleOf(instance, route);
  double sum = instance.Distance(vehicle, vehicle.depot, route.customers.front());
  for (size_t i = 1; i < route.customers.size(); ++i) {
    sum += instance.Distance(vehicle, route.customers[i - 1], route.customers[i]);
  }
  if (vehicle.open_end) return sum;
  return sum + instance.Distance(vehicle, route.customers.back(), vehicle.end());
}

double RouteWork(const Instance& instance, const PlannedRoute& route) {
  const VehicleType& vehicle = VehicleOf(instance, route);
  double sum = instance.service(vehicle.depot);
  NodeIndex from = vehicle.depot;
  for (const NodeIndex node : route.customers) {
    sum += instance.is_depot(node) ? instance.service(node) : instance.Work(vehicle, from, node);
    from = node;
  }
  return sum;
}

double RouteDriving(const Instance& instance, const PlannedRoute& route,
                    std::span<const StopTimes> times) {
  const VehicleType& vehicle = VehicleOf(instance, route);
  const bool timed = !TimedMatricesOf(instance.data(), vehicle).empty();
  double sum = 0;
  NodeIndex from = vehicle.depot;
  size_t legs = 0;
  const auto drive = [&](NodeIndex to) {
    sum += timed ? TravelTimeFrom(instance, vehicle, from, to, times[legs].departure)
                 : instance.Duration(vehicle, from, to);
    from = to;
    ++legs;
  };
  for (const NodeIndex node : route.customers) drive(node);
  if (!vehicle.open_end) drive(vehicle.end());
  return sum;
}

UnservedCustomers FindUnserved(const Instance& instance, const Plan& plan) {
  return UnservedFinder(instance, plan).Run();
}

CostSplit SplitCost(const Instance& instance, const Plan& plan,
                    const std::vector<RouteFigures>& figures, double lost_prizes) {
  const Objective objective = instance.data().objective;
  CostSplit split{.prizes = lost_prizes};
  size_t next = 0;
  for (const PlannedRoute& route : plan) {
    if (route.customers.empty()) continue;
    AddRouteCost(objective, VehicleOf(instance, route), figures[next++], split);
  }
  const bool sums_distances = objective != Objective::kDuration && objective != Objective::kCost;
  if (sums_distances) split.distance = MetricSum(instance.metric(), split.distance);
  const std::optional<Balance>& balance = instance.data().balance;
  if (balance.has_value() && balance->cost > 0) {
    split.balance = balance->cost * MeasureSpread(instance, plan, figures).Spread();
  }
  return split;
}

PlanValue ValueOf(const Instance& instance, const Plan& plan) {
  const UnservedCustomers unserved = FindUnserved(instance, plan);
  PlanValue value{.left_out = unserved.weight};
  if (instance.data().objective == Objective::kVehiclesThenDistance) {
    value.routes = std::count_if(plan.begin(), plan.end(), [](const PlannedRoute& route) {
      return !route.customers.empty();
    });
  }
  value.cost = SplitCost(instance, plan, MeasureRoutes(instance, plan), unserved.prizes).total();
  return value;
}

double SpreadOf(const Instance& instance, const Plan& plan) {
  if (!instance.data().balance.has_value()) return 0;
  return MeasureSpread(instance, plan, MeasureRoutes(instance, plan)).Spread();
}

bool KeepsSpread(const Instance& instance, const Plan& plan) {
  const std::optional<Balance>& balance = instance.data().balance;
  if (!balance.has_value() || balance->max_spread == kNoLimit) return true;
  return MeasureSpread(instance, plan, MeasureRoutes(instance, plan)).Excess(*balance) == 0;
}

Cost PlanCost(const Instance& instance, const Plan& plan) { return ValueOf(instance, plan).cost; }

}  // namespace vrp
