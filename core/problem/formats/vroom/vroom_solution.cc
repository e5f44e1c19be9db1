#include "core/problem/formats/vroom/vroom_solution.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/problem/formats/vroom/vroom_violations.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using nlohmann::ordered_json;

ordered_json Rounded(double value) { return std::llround(value); }

ordered_json RoundedAmounts(const std::vector<double>& amounts) {
  ordered_json array = ordered_json::array();
  for (const double amount : amounts) array.push_back(Rounded(amount));
  return array;
}

// The times of one step, in whole seconds.
struct StepTimes {
  int64_t setup = 0, service = 0, waiting = 0;
};

// The sums over one route or over all routes. Times and metres are whole numbers, as in VROOM, so
// that steps add up exactly.
struct Totals {
  explicit Totals(size_t dimensions) : delivery(dimensions, 0), pickup(dimensions, 0) {}

  void Add(const Totals& other) {
    setup += other.setup;
    service += other.service;
    travel += other.travel;
    waiting += other.waiting;
    metres += other.metres;
    cost += other.cost;
    priority += other.priority;
    for (size_t k = 0; k < delivery.size(); ++k) {
      delivery[k] += other.delivery[k];
      pickup[k] += other.pickup[k];
    }
    violations.Add(other.violations);
  }

  void Add(const StepTimes& step) {
    setup += step.setup;
    service += step.service;
    waiting += step.waiting;
  }

  void WriteTo(ordered_json& object, bool has_metres) const {
    object["delivery"] = RoundedAmounts(delivery);
    object["amount"] = RoundedAmounts(delivery);
    object["pickup"] = RoundedAmounts(pickup);
    object["setup"] = setup;
    object["service"] = service;
    object["duration"] = travel;
    object["waiting_time"] = waiting;
    object["priority"] = priority;
    if (has_metres) object["distance"] = metres;
    object["violations"] = violations.ToJson();
  }

  int64_t setup = 0, service = 0, travel = 0, waiting = 0, metres = 0;
  int64_t cost = 0, priority = 0;
  std::vector<double> delivery, pickup;
  VroomViolations violations;
};

// The travel of a vehicle so far: the exact value, and the rounded value at its last step.
struct Progress {
  double travel = 0, metres = 0;
  int64_t end = 0;            // end of the last step
  int64_t travel_before = 0;  // travel up to the last step

  int64_t arrival() const { return end + std::llround(travel) - travel_before; }
};

class VroomSolutionWriter {
 public:
  // `plan` is null unless `solution` is its solution.
  VroomSolutionWriter(const Instance& instance, const Solution& solution, const VroomNames& names,
                      const VroomPlan* plan = nullptr)
      : instance_(instance), solution_(solution), names_(names), plan_(plan), all_(Dimensions()) {
    for (const Shipment& shipment : instance.data().shipments) {
      amounts_[shipment.pickup] = amounts_[shipment.delivery] = &shipment.amounts;
    }
  }

  std::string Run() && {
    ordered_json routes = ordered_json::array();
    const std::vector<Cost> costs = Costs();
    std::map<int32_t, int64_t> used;  // the number of vehicles of each type
    for (const Route& route : solution_.routes) {
      const NodeIndex start = route.stops.front().node;
      has_metres_ = has_metres_ && names_.Metres(route.vehicle_type, start, start).has_value();
    }
    for (size_t r = 0; r < solution_.routes.size(); ++r) {
      const Route& route = solution_.routes[r];
      const VroomPlanRoute* custom = plan_ == nullptr ? nullptr : &plan_->routes[r];
      const int64_t number = custom == nullptr ? used[route.vehicle_type]++ : custom->number;
      routes.push_back(RouteObject(route, number, costs[r], custom));
    }
    ordered_json root = {{"code", 0}, {"summary", ordered_json::object()}};
    ordered_json& summary = root["summary"];
    const double lost_prizes = solution_.cost - std::accumulate(costs.begin(), costs.end(), 0.0);
    summary["cost"] = all_.cost + std::llround(lost_prizes);
    summary["routes"] = solution_.routes.size();
    summary["unassigned"] = solution_.unserved.size();
    all_.WriteTo(summary, has_metres_);
    root["unassigned"] = Unassigned();
    root["routes"] = std::move(routes);
    return root.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

 private:
  size_t Dimensions() const { return static_cast<size_t>(instance_.load_dimensions()); }

  std::vector<Cost> Costs() const {
    if (plan_ == nullptr) return RouteCosts(instance_, solution_);
    std::vector<Cost> costs;
    for (const VroomPlanRoute& route : plan_->routes) costs.push_back(route.cost);
    return costs;
  }

  // `custom` is null unless the writer has a plan.
  ordered_json RouteObject(const Route& route, int64_t number, Cost cost,
                           const VroomPlanRoute* custom) {
    Totals totals(Dimensions());
    totals.cost = std::llround(cost);
    ordered_json object = {{"vehicle", names_.VehicleId(route.vehicle_type, number)},
                           {"cost", totals.cost}};
    const std::string description = names_.VehicleDescription(route.vehicle_type, number);
    if (!description.empty()) object["description"] = description;
    ordered_json steps = ordered_json::array();
    Progress progress{.end = std::llround(route.stops[0].departure)};
    steps.push_back(StopStep(route, 0, route.stops[0].departure, progress, totals));
    size_t next_break = 0;
    for (size_t i = 1; i <= route.stops.size(); ++i) {
      const double ready = AddBreaks(route, i, number, next_break, progress, totals, steps);
      if (i < route.stops.size()) {
        steps.push_back(StopStep(route, i, ready, progress, totals));
      } else if (i == 1 || !instance_.is_depot(route.stops.back().node)) {
        steps.push_back(EndStep(route, ready, progress, totals));
      }
    }
    if (custom != nullptr) AddViolations(*custom, steps, totals);
    totals.travel = std::llround(progress.travel);
    totals.metres = std::llround(progress.metres);
    totals.WriteTo(object, has_metres_);
    object["steps"] = std::move(steps);
    all_.Add(totals);
    return object;
  }

  static void AddViolations(const VroomPlanRoute& custom, ordered_json& steps, Totals& totals) {
    for (size_t s = 0; s < custom.steps.size(); ++s) {
      steps[s]["violations"] = custom.steps[s].ToJson();
      totals.violations.Add(custom.steps[s]);
    }
    totals.violations.Add(custom.route);
  }

  // Adds the breaks between stops i - 1 and i, or after the last stop. Moves `progress` to stop i
  // and returns the vehicle's arrival time there.
  double AddBreaks(const Route& route, size_t i, int64_t number, size_t& next, Progress& progress,
                   Totals& totals, ordered_json& steps) const {
    const bool has_leg = i < route.stops.size();
    const double travel = has_leg ? Travel(route, i) : 0;
    const double metres = has_leg ? Metres(route, i) : 0;
    const double travel_before = progress.travel;
    const double metres_before = progress.metres;
    double time = route.stops[i - 1].departure;
    double left = travel;
    for (; next < route.breaks.size(); ++next) {
      const BreakTime& pause = route.breaks[next];
      if (pause.after != static_cast<int32_t>(i) - 1) break;
      const double driven = std::clamp(pause.start - time, 0.0, left);
      left -= driven;
      progress.travel += driven;
      if (travel > 0) progress.metres += metres * driven / travel;
      // A driving break has no id in VROOM's format. It may overlap with the next break.
      if (pause.index != kDrivingBreakIndex) {
        steps.push_back(BreakStep(route, pause, number, time + driven, progress, totals));
      }
      time = std::max(time, pause.end);
    }
    progress.travel = travel_before + travel;
    progress.metres = metres_before + metres;
    return time + left;
  }

  double Travel(const Route& route, size_t i) const {
    const NodeIndex from = route.stops[i - 1].node;
    const NodeIndex to = route.stops[i].node;
    const auto vehicles = instance_.vehicles();
    return vehicles.empty() ? instance_.Duration(from, to)
                            : instance_.Duration(vehicles[route.vehicle_type], from, to,
                                                 route.stops[i - 1].departure);
  }

  double Metres(const Route& route, size_t i) const {
    const NodeIndex from = route.stops[i - 1].node;
    return names_.Metres(route.vehicle_type, from, route.stops[i].node).value_or(0);
  }

  static void AddSite(const VroomSite& site, ordered_json& object) {
    if (!site.description.empty()) object["description"] = site.description;
    if (site.location.position.has_value()) {
      object["location"] = {site.location.position->x, site.location.position->y};
    }
    if (site.location.index.has_value()) object["location_index"] = *site.location.index;
  }

  ordered_json BreakStep(const Route& route, const BreakTime& pause, int64_t number, double arrival,
                         Progress& progress, Totals& totals) const {
    const auto after = static_cast<size_t>(pause.after);
    const VroomBreakName name = names_.BreakName(route.vehicle_type, number, pause.index);
    ordered_json step = {{"type", "break"}};
    if (!name.description.empty()) step["description"] = name.description;
    step["id"] = name.id;
    totals.Add(FinishStep({.service = pause.end - pause.start,
                           .waiting = pause.start - arrival,
                           .start = pause.start,
                           .load = route.stops[after].load},
                          progress, step));
    return step;
  }

  // Returns the vehicle's start or, like VROOM, the location of the first task or else of the end
  // if the vehicle has no start.
  VroomSite StartOf(const Route& route) const {
    VroomSite start = names_.StartOf(route.vehicle_type);
    if (!start.location.absent()) return start;
    const NodeIndex first = route.stops[1].node;
    const bool is_end = instance_.is_depot(first);
    start.location = (is_end ? names_.EndOf(route.vehicle_type) : names_.SiteOf(first)).location;
    return start;
  }

  // Returns the end step of a route without an end depot, which the vehicle reaches at `arrival`.
  // Like VROOM, gives it the location of the last task, or else of the start.
  ordered_json EndStep(const Route& route, double arrival, Progress& progress,
                       Totals& totals) const {
    const Stop& last = route.stops.back();
    const bool is_start = instance_.is_depot(last.node);
    ordered_json step = {{"type", "end"}};
    AddSite(
        {(is_start ? names_.StartOf(route.vehicle_type) : names_.SiteOf(last.node)).location, ""},
        step);
    StepFigures figures{.start = route.stops.front().start + route.duration, .load = last.load};
    if (plan_ != nullptr) figures.waiting = figures.start - arrival;
    totals.Add(FinishStep(figures, progress, step));
    return step;
  }

  struct StepFigures {
    double setup = 0;
    double service = 0;
    double waiting = 0;
    double start = 0;  // time at which waiting ends
    const std::vector<double>& load;
    VroomViolations violations = {};
  };

  // Writes the keys that all steps have, and returns the step's times.
  StepTimes FinishStep(const StepFigures& figures, Progress& progress, ordered_json& step) const {
    const int64_t arrival = progress.arrival();
    const int64_t setup = std::llround(figures.setup);
    const int64_t service = std::llround(figures.service);
    const int64_t waiting =
        figures.waiting > 0 ? std::max<int64_t>(0, std::llround(figures.start) - arrival) : 0;
    progress.end = arrival + setup + service + waiting;
    progress.travel_before = std::llround(progress.travel);
    step["setup"] = setup;
    step["service"] = service;
    step["waiting_time"] = waiting;
    step["load"] = RoundedAmounts(figures.load);
    step["arrival"] = arrival;
    step["duration"] = progress.travel_before;
    if (has_metres_) step["distance"] = Rounded(progress.metres);
    step["violations"] = figures.violations.ToJson();
    return {setup, service, waiting};
  }

  ordered_json StopStep(const Route& route, size_t i, double arrival, Progress& progress,
                        Totals& totals) {
    const Stop& stop = route.stops[i];
    ordered_json step = ordered_json::object();
    StepFigures figures{.start = stop.start, .load = stop.load};
    if (instance_.is_depot(stop.node)) {
      step["type"] = i == 0 ? "start" : "end";
      AddSite(i == 0 ? StartOf(route) : names_.EndOf(route.vehicle_type), step);
      if (plan_ != nullptr) figures.waiting = stop.start - arrival;
    } else {
      step["type"] = TypeName(names_.TypeOf(stop.node));
      AddSite(names_.SiteOf(stop.node), step);
      step["id"] = names_.IdOf(stop.node);
      step["job"] = step["id"];  // VROOM also writes this former key
      const auto vehicles = instance_.vehicles();
      figures.service = vehicles.empty()
                            ? instance_.service(stop.node)
                            : instance_.Service(vehicles[route.vehicle_type], stop.node);
      figures.setup = std::max(0.0, stop.departure - stop.start - figures.service);
      figures.waiting = std::max(0.0, stop.start - arrival);
      AddTask(stop.node, totals);
      const int64_t late = std::llround(stop.start - LastClose(stop.node));
      if (late > 0 && plan_ == nullptr) {
        figures.violations.Add(VroomCause::kDelay, late);
        totals.violations.Add(figures.violations);
      }
    }
    totals.Add(FinishStep(figures, progress, step));
    return step;
  }

  void AddTask(NodeIndex customer, Totals& totals) const {
    const std::vector<int32_t>& priorities = instance_.data().priorities;
    if (!priorities.empty()) totals.priority += priorities[static_cast<size_t>(customer)];
    const auto shipment = amounts_.find(customer);
    const bool is_pickup = names_.TypeOf(customer) == VroomTaskType::kPickup;
    for (size_t k = 0; k < Dimensions(); ++k) {
      const auto dimension = static_cast<int32_t>(k);
      totals.delivery[k] += instance_.demand(customer, dimension);
      totals.pickup[k] +=
          instance_.pickup(customer, dimension) + instance_.backhaul(customer, dimension);
      if (shipment == amounts_.end()) continue;
      (is_pickup ? totals.pickup : totals.delivery)[k] += (*shipment->second)[k];
    }
  }

  double LastClose(NodeIndex customer) const {
    const auto& further = instance_.data().further_windows;
    const auto node = static_cast<size_t>(customer);
    if (!further.empty() && !further[node].empty()) return further[node].back().close;
    return instance_.window(customer).close;
  }

  static const char* TypeName(VroomTaskType type) {
    if (type == VroomTaskType::kPickup) return "pickup";
    return type == VroomTaskType::kDelivery ? "delivery" : "job";
  }

  ordered_json Unassigned() const {
    ordered_json array = ordered_json::array();
    for (const Unserved& unserved : solution_.unserved) {
      ordered_json task = {{"id", names_.IdOf(unserved.customer)},
                           {"type", TypeName(names_.TypeOf(unserved.customer))}};
      AddSite(names_.SiteOf(unserved.customer), task);
      if (!unserved.reason.empty()) task["reason"] = unserved.reason;
      array.push_back(std::move(task));
    }
    return array;
  }

  const Instance& instance_;
  const Solution& solution_;
  const VroomNames& names_;
  const VroomPlan* const plan_;
  std::map<NodeIndex, const std::vector<double>*> amounts_;  // shipment amounts, for both customers
  Totals all_;
  bool has_metres_ = true;
};

}  // namespace

absl::Status CheckVroomSolution(const Instance& instance) {
  for (size_t v = 0; v < instance.vehicles().size(); ++v) {
    if (instance.vehicles()[v].max_reloads == 0) continue;
    return absl::UnimplementedError(Concat(
        "vehicles[", v, "].max_reloads: given, but VROOM's output has no reloads; wanted 0"));
  }
  return absl::OkStatus();
}

std::string WriteVroomSolution(const Instance& instance, const Solution& solution,
                               const VroomNames& names) {
  return VroomSolutionWriter(instance, solution, names).Run();
}

std::string WriteVroomPlan(const Instance& instance, const VroomPlan& plan,
                           const VroomNames& names) {
  return VroomSolutionWriter(instance, plan.solution, names, &plan).Run();
}

}  // namespace vrp
