// WriteVroomSolution.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/problem/solution_formats.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using nlohmann::ordered_json;

ordered_json Whole(double value) { return std::llround(value); }

ordered_json Amounts(const std::vector<double>& amounts) {
  ordered_json array = ordered_json::array();
  for (const double amount : amounts) array.push_back(Whole(amount));
  return array;
}

// What a route comes to, and all of them together.
struct Totals {
  explicit Totals(size_t dimensions) : delivery(dimensions, 0), pickup(dimensions, 0) {}

  void Add(const Totals& other) {
    setup += other.setup;
    service += other.service;
    travel += other.travel;
    waiting += other.waiting;
    metres += other.metres;
    priority += other.priority;
    for (size_t k = 0; k < delivery.size(); ++k) {
      delivery[k] += other.delivery[k];
      pickup[k] += other.pickup[k];
    }
    violations.insert(violations.end(), other.violations.begin(), other.violations.end());
  }

  void WriteTo(ordered_json& object, bool has_metres) const {
    object["delivery"] = Amounts(delivery);
    object["amount"] = Amounts(delivery);
    object["pickup"] = Amounts(pickup);
    object["setup"] = Whole(setup);
    object["service"] = Whole(service);
    object["duration"] = Whole(travel);
    object["waiting_time"] = Whole(waiting);
    object["priority"] = priority;
    if (has_metres) object["distance"] = Whole(metres);
    object["violations"] = violations;
  }

  double setup = 0, service = 0, travel = 0, waiting = 0, metres = 0;
  int64_t priority = 0;
  std::vector<double> delivery, pickup;
  ordered_json violations = ordered_json::array();
};

class Writer {
 public:
  Writer(const Instance& instance, const Solution& solution, const VroomNames& names)
      : instance_(instance), solution_(solution), names_(names), all_(Dimensions()) {
    for (const Shipment& shipment : instance.data().shipments) {
      amounts_[shipment.pickup] = amounts_[shipment.delivery] = &shipment.amounts;
    }
  }

  std::string Run() && {
    ordered_json routes = ordered_json::array();
    const std::vector<Cost> costs = RouteCosts(instance_, solution_);
    std::map<int32_t, int64_t> used;  // vehicles of a type
    for (const Route& route : solution_.routes) {
      const NodeIndex start = route.stops.front().node;
      has_metres_ = has_metres_ && names_.Metres(route.vehicle_type, start, start).has_value();
    }
    for (size_t r = 0; r < solution_.routes.size(); ++r) {
      const Route& route = solution_.routes[r];
      routes.push_back(RouteObject(route, used[route.vehicle_type]++, costs[r]));
    }
    ordered_json root = {{"code", 0}, {"summary", ordered_json::object()}};
    ordered_json& summary = root["summary"];
    summary["cost"] = Whole(solution_.cost);
    summary["routes"] = solution_.routes.size();
    summary["unassigned"] = solution_.unserved.size();
    all_.WriteTo(summary, has_metres_);
    root["unassigned"] = Unassigned();
    root["routes"] = std::move(routes);
    return root.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

 private:
  size_t Dimensions() const { return static_cast<size_t>(instance_.load_dimensions()); }

  ordered_json RouteObject(const Route& route, int64_t number, Cost cost) {
    ordered_json object = {{"vehicle", names_.VehicleId(route.vehicle_type, number)},
                           {"cost", Whole(cost)}};
    const std::string description = names_.VehicleDescription(route.vehicle_type, number);
    if (!description.empty()) object["description"] = description;
    Totals totals(Dimensions());
    ordered_json steps = ordered_json::array();
    size_t next_break = 0;
    for (size_t i = 0; i < route.stops.size(); ++i) {
      double time = i == 0 ? 0 : route.stops[i - 1].departure;
      const double leg = i == 0 ? 0 : Travel(route, i);
      const double leg_metres = i == 0 ? 0 : Metres(route, i);
      double left = leg;
      const double travel_before = totals.travel;
      const double metres_before = totals.metres;
      for (; i > 0 && next_break < route.breaks.size(); ++next_break) {
        const BreakTime& pause = route.breaks[next_break];
        if (pause.after != static_cast<int32_t>(i) - 1) break;
        const double driven = std::clamp(pause.start - time, 0.0, left);
        left -= driven;
        totals.travel += driven;
        if (leg > 0) totals.metres += leg_metres * driven / leg;
        steps.push_back(BreakStep(route, pause, number, time + driven, totals));
        time = pause.end;
      }
      totals.travel = travel_before + leg;
      totals.metres = metres_before + leg_metres;
      const double arrival = i == 0 ? route.stops[0].departure : time + left;
      steps.push_back(StopStep(route, i, arrival, totals));
    }
    if (!instance_.is_depot(route.stops.back().node)) steps.push_back(EndStep(route, totals));
    totals.WriteTo(object, has_metres_);
    object["steps"] = std::move(steps);
    all_.Add(totals);
    return object;
  }

  double Travel(const Route& route, size_t i) const {
    const NodeIndex from = route.stops[i - 1].node;
    const NodeIndex to = route.stops[i].node;
    const auto vehicles = instance_.vehicles();
    return vehicles.empty() ? instance_.Duration(from, to)
                            : instance_.Duration(vehicles[route.vehicle_type], from, to);
  }

  double Metres(const Route& route, size_t i) const {
    const NodeIndex from = route.stops[i - 1].node;
    return names_.Metres(route.vehicle_type, from, route.stops[i].node).value_or(0);
  }

  static void AddPlace(const VroomPlace& place, ordered_json& object) {
    if (!place.description.empty()) object["description"] = place.description;
    if (place.location.position.has_value()) {
      object["location"] = {place.location.position->x, place.location.position->y};
    }
    if (place.location.index.has_value()) object["location_index"] = *place.location.index;
  }

  ordered_json BreakStep(const Route& route, const BreakTime& pause, int64_t number, double arrival,
                         Totals& totals) const {
    const auto after = static_cast<size_t>(pause.after);
    totals.waiting += pause.start - arrival;
    totals.service += pause.end - pause.start;
    const VroomBreakName name = names_.BreakName(route.vehicle_type, number, pause.index);
    ordered_json step = {{"type", "break"}};
    if (!name.description.empty()) step["description"] = name.description;
    step["id"] = name.id;
    FinishStep({.service = pause.end - pause.start,
                .waiting = pause.start - arrival,
                .load = route.stops[after].load,
                .arrival = arrival},
               totals, step);
    return step;
  }

  // Where a vehicle begins with its first task, VROOM says that it starts there.
  VroomPlace StartOf(const Route& route) const {
    VroomPlace start = names_.StartOf(route.vehicle_type);
    if (start.location.absent()) start.location = names_.PlaceOf(route.stops[1].node).location;
    return start;
  }

  // Where a vehicle stays with its last task, VROOM says that it ends there.
  ordered_json EndStep(const Route& route, const Totals& totals) const {
    const Stop& last = route.stops.back();
    ordered_json step = {{"type", "end"}};
    AddPlace({names_.PlaceOf(last.node).location, ""}, step);
    FinishStep({.load = last.load, .arrival = last.departure}, totals, step);
    return step;
  }

  struct StepFigures {
    double setup = 0;
    double service = 0;
    double waiting = 0;
    const std::vector<double>& load;
    double arrival = 0;
    ordered_json violations = ordered_json::array();
  };

  // What all steps say.
  void FinishStep(StepFigures figures, const Totals& totals, ordered_json& step) const {
    step["setup"] = Whole(figures.setup);
    step["service"] = Whole(figures.service);
    step["waiting_time"] = Whole(figures.waiting);
    step["load"] = Amounts(figures.load);
    step["arrival"] = Whole(figures.arrival);
    step["duration"] = Whole(totals.travel);
    if (has_metres_) step["distance"] = Whole(totals.metres);
    step["violations"] = std::move(figures.violations);
  }

  ordered_json StopStep(const Route& route, size_t i, double arrival, Totals& totals) {
    const Stop& stop = route.stops[i];
    ordered_json step = ordered_json::object();
    double setup = 0, service = 0, waiting = 0;
    ordered_json violations = ordered_json::array();
    if (instance_.is_depot(stop.node)) {
      step["type"] = i == 0 ? "start" : "end";
      AddPlace(i == 0 ? StartOf(route) : names_.EndOf(route.vehicle_type), step);
    } else {
      step["type"] = TypeWord(names_.TypeOf(stop.node));
      AddPlace(names_.PlaceOf(stop.node), step);
      step["id"] = names_.IdOf(stop.node);
      step["job"] = step["id"];  // its former name, which VROOM gives too
      service = instance_.service(stop.node);
      setup = std::max(0.0, stop.departure - stop.start - service);
      waiting = std::max(0.0, stop.start - arrival);
      AddTask(stop.node, totals);
      const double late = stop.start - LastClose(stop.node);
      if (std::llround(late) > 0) {
        violations.push_back({{"cause", "delay"}, {"duration", Whole(late)}});
      }
    }
    totals.setup += setup;
    totals.service += service;
    totals.waiting += waiting;
    for (const ordered_json& violation : violations) totals.violations.push_back(violation);
    FinishStep({.setup = setup,
                .service = service,
                .waiting = waiting,
                .load = stop.load,
                .arrival = arrival,
                .violations = std::move(violations)},
               totals, step);
    return step;
  }

  void AddTask(NodeIndex customer, Totals& totals) const {
    const std::vector<int32_t>& priorities = instance_.data().priorities;
    if (!priorities.empty()) totals.priority += priorities[static_cast<size_t>(customer)];
    const auto shipment = amounts_.find(customer);
    const bool picks = names_.TypeOf(customer) == VroomTaskType::kPickup;
    for (size_t k = 0; k < Dimensions(); ++k) {
      const auto dimension = static_cast<int32_t>(k);
      totals.delivery[k] += instance_.demand(customer, dimension);
      totals.pickup[k] +=
          instance_.pickup(customer, dimension) + instance_.backhaul(customer, dimension);
      if (shipment == amounts_.end()) continue;
      (picks ? totals.pickup : totals.delivery)[k] += (*shipment->second)[k];
    }
  }

  double LastClose(NodeIndex customer) const {
    const auto& further = instance_.data().further_windows;
    const auto node = static_cast<size_t>(customer);
    if (!further.empty() && !further[node].empty()) return further[node].back().close;
    return instance_.window(customer).close;
  }

  static const char* TypeWord(VroomTaskType type) {
    if (type == VroomTaskType::kPickup) return "pickup";
    return type == VroomTaskType::kDelivery ? "delivery" : "job";
  }

  ordered_json Unassigned() const {
    ordered_json array = ordered_json::array();
    for (const Unserved& unserved : solution_.unserved) {
      ordered_json task = {{"id", names_.IdOf(unserved.customer)},
                           {"type", TypeWord(names_.TypeOf(unserved.customer))}};
      AddPlace(names_.PlaceOf(unserved.customer), task);
      if (!unserved.reason.empty()) task["reason"] = unserved.reason;
      array.push_back(std::move(task));
    }
    return array;
  }

  const Instance& instance_;
  const Solution& solution_;
  const VroomNames& names_;
  std::map<NodeIndex, const std::vector<double>*> amounts_;  // of shipments, by both customers
  Totals all_;
  bool has_metres_ = true;
};

}  // namespace

std::string WriteVroomSolution(const Instance& instance, const Solution& solution,
                               const VroomNames& names) {
  return Writer(instance, solution, names).Run();
}

}  // namespace vrp
