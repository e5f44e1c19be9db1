#include "server/convert/initial_solution.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/checker/freeze.h"
#include "core/problem/checker/plan_repair.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/plan/plan_value.h"
#include "server/convert/field_violation.h"
#include "server/convert/plan_formats.h"

namespace vrp {
namespace {

// Maximum number of reported errors.
constexpr size_t kMaxErrors = 100;

// The field that gives a plan, and how errors name the plan's routes in it.
struct PlanSource {
  std::string field = "initial_solution";  // has the routes as messages, or as a text
  std::string file = {};                   // name of the text; empty: routes are messages
  std::vector<int64_t> lines = {};         // SolutionFile::lines
  std::vector<int64_t> vehicles = {};      // VroomSteps::vehicles; empty: no VROOM steps

  std::string RouteName(int64_t route) const {
    const auto r = static_cast<size_t>(route);
    if (!vehicles.empty()) return Concat("steps of vehicle ", vehicles[r]);
    return lines.empty() ? Concat("routes[", route, "]") : Concat("Route #", route + 1);
  }

  // Returns an error in a route. `part` is the path of a field below the route's message. A text
  // may have other stops than the message, so its errors do not name parts `stops...`.
  FieldViolation ErrorIn(int64_t route, std::string_view part, std::string_view text) const {
    if (file.empty()) {
      return {Concat(field, ".", RouteName(route), ".", part), std::string(text)};
    }
    const bool named = !part.starts_with("stops");
    const std::string line = lines.empty() ? "" : Concat(":", lines[static_cast<size_t>(route)]);
    return {field, Concat(file, line, ": ", RouteName(route), ": ", named ? part : "",
                          named ? ": " : "", text)};
  }
};

struct GivenPlan {
  Plan plan;
  std::vector<FrozenRoute> frozen;  // one per route
};

// A reader of the routes of a plan, whose stops are named by id or number.
class RouteReader {
 public:
  // The arguments must outlive the reader.
  RouteReader(const v1::Solution& message, const PlanSource& source, const Instance& instance,
              int32_t frozen_stops)
      : message_(message), source_(source), instance_(instance), frozen_stops_(frozen_stops) {
    for (NodeIndex node = 0; node < instance.num_nodes(); ++node) {
      nodes_.emplace(instance.id(node), node);
    }
  }

  absl::StatusOr<GivenPlan> Run() {
    for (int r = 0; r < message_.routes_size(); ++r) ReadRoute(r);
    if (invalid_.empty()) return std::move(given_);
    return FieldError(absl::StatusCode::kInvalidArgument, invalid_);
  }

 private:
  template <typename... Parts>
  void AddError(int route, std::string_view field, const Parts&... description) {
    if (invalid_.size() >= kMaxErrors) return;
    invalid_.push_back(source_.ErrorIn(route, field, Concat(description...)));
  }

  void ReadRoute(int r) {
    const v1::Route& route = message_.routes(r);
    PlannedRoute& planned = given_.plan.emplace_back();
    given_.frozen.push_back({.route = r});
    const auto types = std::max<int64_t>(1, std::ssize(instance_.vehicles()));
    if (route.vehicle() < 0 || route.vehicle() >= types) {
      return AddError(r, "vehicle", "got ", route.vehicle(), ", wanted 0 to ", types - 1);
    }
    planned.vehicle_type = route.vehicle();
    const size_t errors = invalid_.size();
    for (int s = 0; s < route.stops_size(); ++s) ReadStop(r, s, planned);
    if (invalid_.size() == errors) ReadFrozen(r, planned);
  }

  void ReadStop(int r, int s, PlannedRoute& planned) {
    const v1::Route& route = message_.routes(r);
    const v1::Stop& stop = route.stops(s);
    const std::string field =
        Concat("stops[", s, "].", stop.id().empty() && !stop.depot() ? "node" : "id");
    NodeIndex node = stop.node();
    if (!stop.id().empty()) {
      const auto found = nodes_.find(stop.id());
      node = found == nodes_.end() ? -1 : found->second;
    }
    const bool at_end = s == 0 || s + 1 == route.stops_size();
    if (at_end && (stop.depot() || (node >= 0 && instance_.is_depot(node)))) return;
    if (node < 0 || node >= instance_.num_nodes()) {
      if (stop.id().empty()) {
        return AddError(r, field, "got ", stop.node(), ", wanted 0 to ", instance_.num_nodes() - 1);
      }
      return AddError(r, field, Quoted(stop.id()), " is not a customer");
    }
    const VehicleType& vehicle = VehicleOf(instance_, planned);
    if (instance_.is_depot(node) && !vehicle.MayReloadAt(node)) {
      return AddError(r, field, "depot ", instance_.id(node),
                      " is within the route, but this vehicle may not reload there");
    }
    planned.customers.push_back(node);
  }

  void ReadFrozen(int r, const PlannedRoute& planned) {
    const v1::Route& route = message_.routes(r);
    const auto visits = static_cast<int32_t>(planned.customers.size());
    int32_t count = std::min(frozen_stops_, visits);
    if (route.frozen_stops() != 0) count = route.frozen_stops();
    if (count < 0 || count > visits) {
      return AddError(r, "frozen_stops", "got ", count, ", wanted 0 to ", visits);
    }
    FrozenRoute& frozen = given_.frozen.back();
    frozen.vehicle_type = planned.vehicle_type;
    frozen.visits.assign(planned.customers.begin(), planned.customers.begin() + count);
  }

  const v1::Solution& message_;
  const PlanSource& source_;
  const Instance& instance_;
  const int32_t frozen_stops_;
  std::unordered_map<std::string_view, NodeIndex> nodes_;
  GivenPlan given_;
  std::vector<FieldViolation> invalid_;
};

// Checks that no customer is visited twice and no vehicle type has more routes than vehicles.
absl::Status CheckPlanNumbers(const Instance& instance, const Plan& plan,
                              const PlanSource& source) {
  std::vector<FieldViolation> invalid;
  const auto add_error = [&](size_t route, std::string_view field, std::string_view description) {
    if (invalid.size() >= kMaxErrors) return;
    invalid.push_back(source.ErrorIn(static_cast<int64_t>(route), field, description));
  };
  std::vector<int64_t> seen_in(static_cast<size_t>(instance.num_nodes()), -1);
  std::vector<int64_t> used(std::max<size_t>(1, instance.vehicles().size()), 0);
  for (size_t r = 0; r < plan.size() && invalid.size() < kMaxErrors; ++r) {
    if (plan[r].customers.empty()) continue;
    const auto type = static_cast<size_t>(plan[r].vehicle_type);
    const int64_t count = instance.vehicles().empty() ? 1 : instance.vehicles()[type].count;
    if (++used[type] > count && count > 0) {
      add_error(r, "vehicle",
                Concat("all ", count, " of vehicles[", type, "] have routes already"));
    }
    for (const NodeIndex node : plan[r].customers) {
      if (instance.is_depot(node)) continue;
      int64_t& seen = seen_in[static_cast<size_t>(node)];
      if (seen >= 0) {
        add_error(r, "stops",
                  Concat("customer ", instance.id(node), " is visited already in ",
                         source.RouteName(seen)));
      }
      seen = static_cast<int64_t>(r);
    }
  }
  if (invalid.empty()) return absl::OkStatus();
  return FieldError(absl::StatusCode::kInvalidArgument, invalid);
}

// Returns the routes without the depots at their ends. A start depot precedes a reload that is the
// first visit, because a depot before the first customer alone is the start.
v1::Solution MessageOf(const Instance& instance, const Plan& plan) {
  v1::Solution solution;
  for (const PlannedRoute& planned : plan) {
    v1::Route& route = *solution.add_routes();
    route.set_vehicle(planned.vehicle_type);
    const auto& visits = planned.customers;
    if (!visits.empty() && visits.front() < instance.num_depots())
      route.add_stops()->set_depot(true);
    for (const NodeIndex node : visits) route.add_stops()->set_node(node);
  }
  return solution;
}

// A plan as a message, which is empty if there is none, and its source.
struct SourcedPlan {
  v1::Solution message;
  PlanSource source = {};
};

// Returns the `steps` of the vehicles in a VROOM file. Parses only files that contain the key.
SourcedPlan PlanOfSteps(const v1::InstanceFile& file, const Instance& instance) {
  if (!absl::StrContains(file.content(), "\"steps\"")) return {};
  VroomSteps steps = VroomNamesOf(instance, file.content()).Steps();
  return {.message = MessageOf(instance, steps.plan),
          .source = {.field = "file.content",
                     .file = file.name().empty() ? "file" : file.name(),
                     .vehicles = std::move(steps.vehicles)}};
}

// Returns the routes of a file as a message.
absl::StatusOr<SourcedPlan> PlanOfFile(const v1::SolutionFile& file, const Instance& instance,
                                       const VroomNames& names) {
  constexpr std::string_view kField = "initial_solution_file";
  VRP_ASSIGN_OR_RETURN(SolutionFile parsed, SolutionFromProto(file, instance, names, kField));
  return SourcedPlan{.message = MessageOf(instance, parsed.plan),
                     .source = {.field = Concat(kField, ".content"),
                                .file = std::string(file.name().empty() ? kField : file.name()),
                                .lines = std::move(parsed.lines)}};
}

// Refuses a VROOM file that asks for times of its steps. Parses only files that contain the key.
absl::Status RefusePlanMode(const v1::InstanceFile& file, const Instance& instance) {
  if (!absl::StrContains(file.content(), "\"options\"")) return absl::OkStatus();
  const VroomNames names = VroomNamesOf(instance, file.content());
  if (names.file() == nullptr || !names.file()->plan_mode) return absl::OkStatus();
  const std::string_view name = file.name().empty() ? std::string_view("file") : file.name();
  return InvalidField(
      "file.content",
      Concat(name,
             ": options.c: got true, the plan mode, which keeps the vehicles' "
             "steps; wanted false to optimise them, or CheckSolution (`vrpctl check ",
             name, "`) to evaluate them"));
}

// Returns the plan that a request gives.
absl::StatusOr<SourcedPlan> PlanOf(const v1::SolveRequest& request, const Instance& instance) {
  switch (request.start_case()) {
    case v1::SolveRequest::kInitialSolution:
      return SourcedPlan{.message = request.initial_solution()};
    case v1::SolveRequest::kInitialSolutionFile:
      return PlanOfFile(request.initial_solution_file(), instance,
                        VroomNamesOf(instance, request.file().content()));
    case v1::SolveRequest::kSimilarDay:
      return SourcedPlan{};
    case v1::SolveRequest::START_NOT_SET:
      break;
  }
  return PlanOfSteps(request.file(), instance);
}

// Freezes the routes. Errors name the plan's source.
absl::StatusOr<Instance> FreezeRoutes(const Instance& instance, std::vector<FrozenRoute> routes,
                                      const PlanSource& source) {
  constexpr std::string_view kRoutes = "initial_solution.routes[";
  absl::StatusOr<Instance> frozen = Freeze(instance, std::move(routes));
  if (frozen.ok()) return frozen;
  const FieldViolation violation = FromLine(FromAbsl(frozen.status().message()));
  const size_t end = violation.field.find(']');
  int64_t route = 0;
  if (!violation.field.starts_with(kRoutes) || end == std::string::npos ||
      !absl::SimpleAtoi(violation.field.substr(kRoutes.size(), end - kRoutes.size()), &route)) {
    return WithField(frozen.status());
  }
  return FieldError(frozen.status().code(),
                    {source.ErrorIn(route, "frozen_stops", violation.description)});
}

v1::InitialSolutionReport ReportOf(const Instance& instance, const RepairedPlan& repaired,
                                   const Plan& given) {
  v1::InitialSolutionReport report;
  const auto customers = [&](const Plan& plan) {
    int64_t count = 0;
    for (const PlannedRoute& route : plan) {
      count += std::count_if(route.customers.begin(), route.customers.end(),
                             [&](NodeIndex node) { return !instance.is_depot(node); });
    }
    return static_cast<int32_t>(count);
  };
  report.set_kept_customers(customers(repaired.plan));
  report.set_cost(PlanCost(instance, repaired.plan));
  report.set_missing_customers(
      static_cast<int32_t>(FindUnserved(instance, given).customers.size()));
  for (const RemovedVisit& visit : repaired.removed) {
    v1::DroppedVisit& message = *report.add_dropped_visits();
    message.set_route(visit.route);
    message.set_node(visit.customer);
    message.set_id(instance.id(visit.customer));
    message.set_reason(visit.reason);
  }
  int64_t frozen = 0;
  for (const FrozenRoute& route : instance.frozen()) frozen += std::ssize(route.visits);
  report.set_frozen_stops(static_cast<int32_t>(frozen));
  return report;
}

}  // namespace

absl::StatusOr<std::optional<InitialSolution>> InitialSolutionFromProto(
    const v1::SolveRequest& request, const Instance& instance, const StopCondition& stop) {
  VRP_RETURN_IF_ERROR(RefusePlanMode(request.file(), instance));
  const bool given = request.has_initial_solution() || request.has_initial_solution_file();
  VRP_ASSIGN_OR_RETURN(const SourcedPlan start, PlanOf(request, instance));
  const auto& [message, source] = start;
  if (!given && message.routes().empty()) {
    if (request.frozen_stops() == 0) return std::nullopt;
    return InvalidField("frozen_stops",
                        "given without a plan; wanted initial_solution or initial_solution_file");
  }
  if (request.frozen_stops() < 0) {
    return InvalidField("frozen_stops",
                        Concat("got ", request.frozen_stops(), ", wanted 0 or more"));
  }
  VRP_ASSIGN_OR_RETURN(GivenPlan read,
                       RouteReader(message, source, instance, request.frozen_stops()).Run());
  VRP_RETURN_IF_ERROR(CheckPlanNumbers(instance, read.plan, source));
  absl::StatusOr<Instance> frozen = FreezeRoutes(instance, std::move(read.frozen), source);
  if (!frozen.ok()) return frozen.status();
  return InitialSolutionOf(*frozen, read.plan, stop);
}

InitialSolution InitialSolutionOf(const Instance& instance, const Plan& plan,
                                  const StopCondition& stop) {
  RepairedPlan repaired = RepairPlan(instance, plan, stop);
  v1::InitialSolutionReport report = ReportOf(instance, repaired, plan);
  return {instance, std::move(repaired.plan), std::move(report)};
}

absl::StatusOr<Instance> FrozenFromProto(const v1::Solution& initial_solution,
                                         const Instance& instance) {
  const PlanSource source;
  VRP_ASSIGN_OR_RETURN(GivenPlan given, RouteReader(initial_solution, source, instance, 0).Run());
  VRP_RETURN_IF_ERROR(CheckPlanNumbers(instance, given.plan, source));
  return FreezeRoutes(instance, std::move(given.frozen), source);
}

}  // namespace vrp
