#include <nlohmann/json.hpp>

#include "client/output/json.h"
#include "client/output/visits.h"
#include "client/support/enum_words.h"
#include "client/support/flags.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

// Returns a number for one capacity dimension, an array for several, and 0 if there is no load.
template <typename Loads>
Json LoadJson(const Loads& loads) {
  if (loads.size() <= 1) return JsonNumber(loads.empty() ? 0 : loads[0]);
  Json array = Json::array();
  for (const double load : loads) array.push_back(JsonNumber(load));
  return array;
}

// Returns the route without its start and end. Reloads at depots are among the stops.
Json RouteJson(const v1::Route& route) {
  Json stops = Json::array();
  for (int i = 1; i < VisitsEnd(route); ++i) {
    const v1::Stop& stop = route.stops(i);
    stops.push_back({{"id", stop.id()},
                     {"arrival", JsonNumber(stop.arrival())},
                     {"load", LoadJson(stop.load())}});
    if (stop.depot()) stops.back()["reload"] = true;
  }
  Json object = {{"vehicle", route.vehicle()},
                 {"stops", stops},
                 {"distance", JsonNumber(route.distance())},
                 {"duration", JsonNumber(route.duration())}};
  if (route.frozen_stops() > 0) object["frozen_stops"] = route.frozen_stops();
  for (const v1::RouteBreak& route_break : route.breaks()) {
    object["breaks"].push_back({{"index", route_break.index()},
                                {"after", StopId(route, route_break.after_stop())},
                                {"start", JsonNumber(route_break.start())},
                                {"end", JsonNumber(route_break.end())}});
    if (route_break.driving_break()) object["breaks"].back()["driving_break"] = true;
  }
  for (const v1::CompartmentUse& use : route.compartments()) {
    object["compartments"].push_back({{"trip", use.trip()},
                                      {"compartment", use.compartment()},
                                      {"load_dimension", use.load_dimension()},
                                      {"load", JsonNumber(use.load())}});
  }
  for (const std::string& polyline : route.leg_polylines()) {
    object["leg_polylines"].push_back(polyline);
  }
  return object;
}

// Returns the parts of the cost that are not 0.
Json CostBreakdownJson(const v1::CostBreakdown& breakdown) {
  Json object = Json::object();
  const auto add = [&](const char* name, double part) {
    if (part != 0) object[name] = JsonNumber(part);
  };
  add("distance", breakdown.distance());
  add("duration", breakdown.duration());
  add("fixed", breakdown.fixed());
  add("overtime", breakdown.overtime());
  add("late", breakdown.lateness());
  add("prizes", breakdown.prizes());
  add("balance", breakdown.balance());
  return object;
}

Json RoutesJson(const v1::Solution& solution) {
  Json routes = Json::array();
  for (const v1::Route& route : solution.routes()) routes.push_back(RouteJson(route));
  return routes;
}

template <typename Response>
Json ViolationsJson(const Response& response) {
  Json violations = Json::array();
  for (const v1::Violation& violation : response.violations()) {
    violations.push_back({{"kind", violation.kind()},
                          {"route", violation.has_route() ? Json(violation.route()) : Json()},
                          {"node", violation.has_node() ? Json(violation.node()) : Json()},
                          {"amount", JsonNumber(violation.amount())},
                          {"message", violation.message()}});
  }
  return violations;
}

Json UnservedJson(const v1::Solution& solution) {
  Json unserved = Json::array();
  for (const v1::UnservedCustomer& customer : solution.unserved()) {
    unserved.push_back({{"id", customer.id()}, {"reason", customer.reason()}});
  }
  return unserved;
}

Json InitialSolutionJson(const v1::InitialSolutionReport& report) {
  Json left_out = Json::array();
  for (const v1::DroppedVisit& visit : report.dropped_visits()) {
    left_out.push_back({{"route", visit.route()}, {"id", visit.id()}, {"reason", visit.reason()}});
  }
  return {{"kept_customers", report.kept_customers()},
          {"cost", JsonNumber(report.cost())},
          {"left_out", left_out},
          {"missing_customers", report.missing_customers()},
          {"frozen_stops", report.frozen_stops()}};
}

Json SimilarDayJson(const v1::SimilarDayReport& report) {
  Json object = {{"history", report.history()}};
  object["day"] = report.day().empty() ? Json(nullptr) : Json(report.day());
  object["common_stops"] = report.common_stops();
  object["past_stops"] = report.past_stops();
  return object;
}

Json HabitsJson(const v1::PlanHabits& habits) {
  Json object = {{"weight", JsonNumber(habits.weight())},
                 {"leg_cost", JsonNumber(habits.leg_cost())},
                 {"legs", habits.legs()},
                 {"log_probability", JsonNumber(habits.log_probability())},
                 {"cost", JsonNumber(habits.cost())},
                 {"moved_routes", habits.moved_routes()},
                 {"turned_routes", habits.turned_routes()}};
  if (habits.legs() > 0) {
    object["mean_log_probability"] =
        JsonNumber(habits.log_probability() / static_cast<double>(habits.legs()));
  }
  return object;
}

template <typename Response>
void AddReferenceCost(const Response& response, Json& object) {
  if (response.has_reference_cost()) object["ref_cost"] = JsonNumber(response.reference_cost());
  if (response.has_gap()) object["gap"] = JsonNumber(response.gap());
}

}  // namespace

Json SolveJson(const v1::SolveResponse& response) {
  const ModelVersion model = SplitModelName(response.model());
  const v1::TimeBreakdown& times = response.times();
  Json object = {{"name", response.name()},
                 {"cost", JsonNumber(response.solution().cost())},
                 {"routes", RoutesJson(response.solution())},
                 {"feasible", response.feasible()},
                 {"violations", ViolationsJson(response)},
                 {"unserved", UnservedJson(response.solution())},
                 {"strategy", LowerCaseWord(response.strategy())},
                 {"model", TextOrNull(model.name)},
                 {"version", model.version == 0 ? Json() : Json(model.version)},
                 {"seed", response.seed()},
                 {"budget_ms", MillisecondsJson(response.budget())},
                 {"time_ms",
                  {{"queue", MillisecondsJson(times.queue())},
                   {"decode", MillisecondsJson(times.decode())},
                   {"search", MillisecondsJson(times.search())},
                   {"total", MillisecondsJson(times.total())}}},
                 {"end_reason", LowerCaseWord(response.end_reason())},
                 {"objective", LowerCaseWord(response.objective())},
                 {"metric", LowerCaseWord(response.metric())}};
  const Json breakdown = CostBreakdownJson(response.solution().cost_breakdown());
  if (breakdown.size() > 1 || (breakdown.size() == 1 && !breakdown.contains("distance"))) {
    object["cost_breakdown"] = breakdown;
  }
  if (response.solution().has_spread()) object["spread"] = JsonNumber(response.solution().spread());
  AddReferenceCost(response, object);
  if (times.has_roads()) object["time_ms"]["roads"] = MillisecondsJson(times.roads());
  if (!response.geometry_note().empty()) object["geometry_note"] = response.geometry_note();
  // Older daemons leave this field 0.
  if (response.threads() > 0) object["threads"] = response.threads();
  if (response.has_no_improvement()) {
    object["no_improvement_ms"] = MillisecondsJson(response.no_improvement());
  }
  if (response.has_habits()) object["habits"] = HabitsJson(response.habits());
  if (!response.policy_note().empty()) object["policy_note"] = response.policy_note();
  if (response.has_similar_day()) object["similar_day"] = SimilarDayJson(response.similar_day());
  if (response.has_initial_solution()) {
    object["initial_solution"] = InitialSolutionJson(response.initial_solution());
  }
  return object;
}

Json ImprovementJson(const v1::Improvement& improvement) {
  const v1::Solution& solution = improvement.solution();
  Json object = {{"elapsed_ms", MillisecondsJson(improvement.elapsed())},
                 {"cost", JsonNumber(solution.cost())},
                 {"routes", RoutesJson(solution)},
                 {"unserved", UnservedJson(solution)}};
  if (improvement.has_gap()) object["gap"] = JsonNumber(improvement.gap());
  return {{"improvement", object}};
}

Json CheckJson(const v1::CheckSolutionResponse& response) {
  Json object = {{"feasible", response.feasible()},
                 {"cost", JsonNumber(response.cost())},
                 {"violations", ViolationsJson(response)}};
  AddReferenceCost(response, object);
  return object;
}

Json PlanJson(const v1::CheckSolutionResponse& response) {
  Json object = {{"name", response.name()},
                 {"cost", JsonNumber(response.cost())},
                 {"routes", RoutesJson(response.solution())},
                 {"feasible", response.feasible()},
                 {"violations", ViolationsJson(response)},
                 {"unserved", UnservedJson(response.solution())}};
  AddReferenceCost(response, object);
  return object;
}

Json DecideJson(const v1::DecideResponse& response) {
  const v1::Solution& solution = response.solution();
  Json routes = RoutesJson(solution);
  for (size_t i = 0; i < routes.size(); ++i) {
    const v1::Route& route = solution.routes(static_cast<int>(i));
    if (!route.stops().empty()) routes[i]["departure"] = JsonNumber(route.stops(0).departure());
  }
  Json waiting = Json::array();
  for (const v1::WaitingRequest& request : response.waiting()) {
    waiting.push_back(
        {{"id", request.id()}, {"missed", request.missed()}, {"reason", request.reason()}});
  }
  const v1::TimeBreakdown& times = response.times();
  Json object = {{"name", response.name()},
                 {"cost", JsonNumber(solution.cost())},
                 {"routes", routes},
                 {"waiting", waiting},
                 {"feasible", response.feasible()},
                 {"violations", ViolationsJson(response)},
                 {"policy", LowerCaseWord(response.policy())},
                 {"model", TextOrNull(response.model())},
                 {"scenarios", response.scenarios()},
                 {"seed", response.seed()},
                 {"budget_ms", MillisecondsJson(response.budget())},
                 {"time_ms",
                  {{"queue", MillisecondsJson(times.queue())},
                   {"search", MillisecondsJson(times.search())},
                   {"total", MillisecondsJson(times.total())}}},
                 {"objective", LowerCaseWord(response.objective())},
                 {"metric", LowerCaseWord(response.metric())}};
  if (times.has_roads()) object["time_ms"]["roads"] = MillisecondsJson(times.roads());
  return object;
}

Json ValidateJson(const v1::ValidateInstanceResponse& response) {
  Json object = {
      {"valid", response.valid()},
      {"errors", std::vector<std::string>(response.errors().begin(), response.errors().end())},
      {"unsupported", std::vector<std::string>(response.unsupported_features().begin(),
                                               response.unsupported_features().end())}};
  if (!response.valid()) return object;
  object["name"] = response.name();
  object["problem_type"] = LowerCaseWord(response.problem_type());
  object["customers"] = response.customer_count();
  object["depots"] = response.depot_count();
  return object;
}

}  // namespace vrp::client
