#include "server/convert/solution_convert.h"

#include <algorithm>
#include <string>

namespace vrp {
namespace {

v1::Stop StopMessage(const Instance& instance, const Stop& stop) {
  v1::Stop message;
  message.set_node(stop.node);
  message.set_id(instance.id(stop.node));
  if (instance.has_positions()) {
    const Position position = instance.position(stop.node);
    message.mutable_location()->set_x(position.x);
    message.mutable_location()->set_y(position.y);
  }
  message.set_arrival(stop.arrival);
  message.set_start(stop.start);
  message.set_departure(stop.departure);
  message.mutable_load()->Assign(stop.load.begin(), stop.load.end());
  message.set_depot(instance.is_depot(stop.node));
  return message;
}

v1::RouteBreak BreakMessage(const BreakTime& pause) {
  v1::RouteBreak message;
  message.set_index(pause.index);
  message.set_after_stop(pause.after);
  message.set_start(pause.start);
  message.set_end(pause.end);
  message.set_driving_break(pause.index == kDrivingBreakIndex);
  return message;
}

v1::CompartmentUse CompartmentMessage(const CompartmentUse& use) {
  v1::CompartmentUse message;
  message.set_trip(use.trip);
  message.set_compartment(use.compartment);
  message.set_load_dimension(use.load_dimension);
  message.set_load(use.load);
  return message;
}

v1::CostBreakdown CostMessage(const CostSplit& split) {
  v1::CostBreakdown message;
  message.set_distance(split.distance);
  message.set_duration(split.duration);
  message.set_fixed(split.fixed);
  message.set_overtime(split.overtime);
  message.set_lateness(split.late);
  message.set_prizes(split.prizes);
  message.set_balance(split.balance);
  return message;
}

v1::Route RouteMessage(const Instance& instance, const Route& route) {
  v1::Route message;
  message.set_vehicle(route.vehicle_type);
  const auto type = static_cast<size_t>(route.vehicle_type);
  if (type < instance.vehicles().size()) message.set_vehicle_id(instance.vehicles()[type].id);
  for (const Stop& stop : route.stops) *message.add_stops() = StopMessage(instance, stop);
  message.set_distance(route.distance);
  message.set_duration(route.duration);
  message.mutable_load()->Assign(route.load.begin(), route.load.end());
  for (const BreakTime& pause : route.breaks) *message.add_breaks() = BreakMessage(pause);
  for (const CompartmentUse& use : route.compartments) {
    *message.add_compartments() = CompartmentMessage(use);
  }
  return message;
}

int32_t FrozenStops(const Instance& instance, const Route& route) {
  for (const FrozenRoute& frozen : instance.frozen()) {
    const auto& visits = frozen.visits;
    if (frozen.vehicle_type == route.vehicle_type && route.stops.size() > visits.size() &&
        std::equal(visits.begin(), visits.end(), route.stops.begin() + 1,
                   [](NodeIndex node, const Stop& stop) { return node == stop.node; })) {
      return static_cast<int32_t>(visits.size());
    }
  }
  return 0;
}

}  // namespace

v1::Units ToProto(const Units& units) {
  v1::Units message;
  message.set_metres_per_distance_unit(units.metres_per_distance);
  message.set_seconds_per_time_unit(units.seconds_per_time);
  message.set_times_of_day(units.times_of_day);
  switch (units.cost) {
    case CostUnit::kOwn:
      break;
    case CostUnit::kDistance:
      message.set_cost(v1::COST_UNIT_DISTANCE);
      break;
    case CostUnit::kTime:
      message.set_cost(v1::COST_UNIT_TIME);
      break;
  }
  return message;
}

v1::Solution ToProto(const Instance& instance, const Solution& solution) {
  v1::Solution message;
  for (const Route& route : solution.routes) {
    *message.add_routes() = RouteMessage(instance, route);
    message.mutable_routes()->rbegin()->set_frozen_stops(FrozenStops(instance, route));
  }
  message.set_cost(solution.cost);
  *message.mutable_cost_breakdown() = CostMessage(solution.split);
  message.set_distance(solution.distance);
  message.set_duration(solution.duration);
  if (solution.spread.has_value()) message.set_spread(*solution.spread);
  for (const Unserved& unserved : solution.unserved) {
    v1::UnservedCustomer& added = *message.add_unserved();
    added.set_node(unserved.customer);
    added.set_id(instance.id(unserved.customer));
    added.set_reason(unserved.reason);
  }
  const Units units = UnitsOf(instance);
  if (units.any()) *message.mutable_units() = ToProto(units);
  return message;
}

v1::Violation ToProto(const Violation& violation) {
  v1::Violation message;
  message.set_kind(std::string(ViolationName(violation.kind)));
  if (violation.route >= 0) message.set_route(violation.route);
  const bool names_node = violation.node >= 0 || violation.kind == ViolationKind::kUnknownNode;
  if (names_node) message.set_node(violation.node);
  message.set_amount(violation.amount);
  message.set_message(violation.message);
  return message;
}

Plan PlanFromProto(const Instance& instance, const v1::Solution& message) {
  const auto is_depot = [&](const v1::Stop& stop) {
    return stop.node() >= 0 && instance.is_depot(stop.node());
  };
  Plan plan;
  plan.reserve(static_cast<size_t>(message.routes_size()));
  for (const v1::Route& route : message.routes()) {
    int begin = 0;
    int end = route.stops_size();
    if (begin < end && is_depot(route.stops(begin))) ++begin;
    if (begin < end && is_depot(route.stops(end - 1))) --end;
    PlannedRoute& planned = plan.emplace_back();
    planned.vehicle_type = route.vehicle();
    for (int i = begin; i < end; ++i) planned.customers.push_back(route.stops(i).node());
  }
  return plan;
}

}  // namespace vrp
