#include "server/convert/dispatch_convert.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/convert/dispatch_policy.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_enums.h"
#include "server/convert/solution_convert.h"
#include "server/convert/time_convert.h"
#include "server/convert/violation_list.h"

namespace vrp {
namespace {

constexpr int32_t kMaxLaterDepartures = 1'000;
constexpr int32_t kMaxRequestsPerDeparture = 10'000;

class DecideOptionsReader {
 public:
  DecideOptionsReader(const v1::DecideRequest& message, const SolveLimits& limits)
      : message_(message), limits_(limits) {}

  absl::StatusOr<DecideOptions> Run() && {
    options_.policy = PolicySettingsFromProto(message_, "", invalid_);
    ReadFuture();
    ReadBudget();
    options_.seed = message_.seed() == 0 ? 1 : message_.seed();
    if (invalid_.empty()) return options_;
    return FieldError(absl::StatusCode::kInvalidArgument, std::move(invalid_).Take());
  }

 private:
  void ReadFuture() {
    const std::string_view policy = DispatchPolicyName(options_.policy.kind);
    const bool has_log = message_.has_request_log();
    const bool given = message_.future_case() != v1::DecideRequest::FUTURE_NOT_SET;
    if (given && !NeedsSampler(options_.policy.kind)) {
      invalid_.Add(has_log ? "request_log" : "requests_per_departure", "given, but policy ", policy,
                   " draws no requests; wanted policy sampling, horizon or model");
    } else if (has_log) {
      options_.request_log = message_.request_log();
      if (message_.request_log().empty()) {
        invalid_.Add("request_log", "got \"\", wanted datasets/{name}");
      }
    } else if (given) {
      options_.requests_per_departure = InRange(
          "requests_per_departure", message_.requests_per_departure(), 1, kMaxRequestsPerDeparture);
    } else if (NeedsSampler(options_.policy.kind) && !message_.later_departures().empty()) {
      invalid_.Add(
          "requests_per_departure", "absent, but policy ", policy,
          " draws requests; give their number or a request_log, or use policy greedy or lazy");
    }
    if (message_.has_margin() && !has_log) {
      invalid_.Add("margin", "given, but only a request_log needs it; leave it out");
    } else if (message_.has_margin()) {
      options_.margin = InRange("margin", message_.margin(), 0., kMaxMagnitude);
    }
  }

  void ReadBudget() {
    options_.budget = BudgetOf(message_, limits_);
    if (message_.has_budget()) {
      absl::StatusOr<absl::Duration> budget =
          BudgetFromProto(message_.budget(), kMinBudget, limits_.max_budget);
      if (!budget.ok()) invalid_.Add("budget", FromAbsl(budget.status().message()));
    }
    if (message_.max_iterations() < 0) {
      invalid_.Add("max_iterations", "got ", message_.max_iterations(), ", wanted 0 or more");
    } else if (message_.max_iterations() > 0) {
      options_.max_iterations = message_.max_iterations();
    }
  }

  template <typename Number>
  Number InRange(std::string_view field, Number value, Number min, Number max) {
    if (!(value >= min && value <= max)) {
      invalid_.Add(field, "got ", value, ", wanted ", min, " to ", max);
    }
    return value;
  }

  const v1::DecideRequest& message_;
  const SolveLimits limits_;
  DecideOptions options_;
  ViolationList invalid_;
};

class RequestsReader {
 public:
  explicit RequestsReader(const DispatchSite& site) : site_(site) {
    const Instance& instance = site.instance();
    for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
      customers_.emplace(instance.id(node), node);
    }
  }

  absl::StatusOr<std::vector<DispatchRequest>> Run(const v1::DecideRequest& message) && {
    for (int i = 0; i < message.requests_size(); ++i) {
      path_ = Concat("requests[", i, "].");
      Read(message.requests(i));
    }
    if (invalid_.empty()) return std::move(requests_);
    return FieldError(absl::StatusCode::kInvalidArgument, std::move(invalid_).Take());
  }

 private:
  void Read(const v1::DispatchRequest& message) {
    const auto customer = customers_.find(message.customer());
    if (customer == customers_.end()) {
      Add("customer", "got ", Quoted(message.customer()), ", wanted the id of a customer");
      return;
    }
    const std::string& id = message.id().empty() ? message.customer() : message.id();
    if (id.size() > kMaxInstanceNameBytes) {
      Add("id", "has ", id.size(), " bytes, wanted at most ", kMaxInstanceNameBytes);
    } else if (!ids_.insert(id).second) {
      Add("id", "got ", Quoted(id), " again, wanted an id for each request");
    }
    DispatchRequest request = site_.RequestOf(customer->second, id);
    ReadDemand(message, request);
    if (message.has_time_window()) ReadWindow(message.time_window(), request);
    if (message.has_service_time()) request.service = message.service_time();
    request.must_go = message.must_go();
    requests_.push_back(std::move(request));
  }

  void ReadDemand(const v1::DispatchRequest& message, DispatchRequest& request) {
    if (message.demand().empty()) return;
    const auto dimensions = static_cast<size_t>(site_.instance().load_dimensions());
    request.demand.assign(message.demand().begin(), message.demand().end());
    if (request.demand.size() > dimensions) {
      Add("demand", "got ", request.demand.size(), " numbers, wanted at most ", dimensions,
          ", one per load dimension");
    }
    request.demand.resize(dimensions, 0);
  }

  void ReadWindow(const v1::TimeWindow& message, DispatchRequest& request) {
    request.window = {.open = message.open()};
    if (message.has_close()) request.window.close = Finite("close", message.close());
    if (message.has_late_cost()) {
      request.window.late_cost = Finite("late_cost", message.late_cost());
      if (message.late_cost() < 0) {
        Add("time_window.late_cost", "got ", message.late_cost(), ", wanted at least 0");
      }
    }
  }

  double Finite(std::string_view field, double value) {
    if (!(std::abs(value) <= kMaxMagnitude)) {
      Add(Concat("time_window.", field), "got ", value, ", wanted -1e12 to 1e12");
    }
    return value;
  }

  template <typename... Parts>
  void Add(std::string_view field, const Parts&... parts) {
    invalid_.Add(Concat(path_, field), parts...);
  }

  const DispatchSite& site_;
  std::unordered_map<std::string_view, NodeIndex> customers_;
  std::unordered_set<std::string_view> ids_;  // of the message
  std::string path_;
  std::vector<DispatchRequest> requests_;
  ViolationList invalid_;
};

// Replaces a name of the core in the path of an error by that of the message.
void Rename(std::string_view from, std::string_view to, std::string& path) {
  const size_t at = path.find(from);
  if (at != std::string::npos) path.replace(at, from.size(), to);
}

// Returns an error of CheckState with the field paths of the message.
absl::Status WithRequestFields(const absl::Status& status) {
  std::vector<FieldViolation> violations = ViolationsOf(WithField(status));
  if (violations.empty()) return status;
  for (FieldViolation& violation : violations) {
    if (violation.field.starts_with("available")) {
      Rename("available", "available_vehicles", violation.field);
    }
    Rename("].window", "].time_window", violation.field);
    Rename("].service", "].service_time", violation.field);
  }
  return FieldError(status.code(), violations);
}

bool HasMatrices(const Instance& instance) {
  const InstanceData& data = instance.data();
  const auto has = [](const auto& part) {
    return !part.distance_matrix.empty() || !part.duration_matrix.empty() ||
           !part.duration_matrices.empty() || !part.length_matrix.empty();
  };
  return has(data) || std::any_of(data.vehicles.begin(), data.vehicles.end(), has);
}

// Returns the number of later departures whose requests are drawn in one scenario.
int64_t DrawnDepartures(const DispatchState& state, const DecideOptions& options) {
  const auto later = static_cast<int64_t>(state.later_departures.size());
  return options.policy.kind == DispatchPolicyKind::kSampling
             ? std::min<int64_t>(later, options.policy.sampling.lookahead)
             : later;
}

v1::Violation MissedMessage(const DispatchState& state, const WaitingRequest& waiting) {
  const DispatchRequest& request = state.requests[waiting.request];
  v1::Violation message;
  message.set_kind(std::string(ViolationName(ViolationKind::kMissingCustomer)));
  message.set_node(request.customer);
  message.set_amount(1);
  message.set_message(Concat("request ", request.id, " had to leave now and stays"));
  return message;
}

}  // namespace

absl::StatusOr<DecideOptions> DecideOptionsFromProto(const v1::DecideRequest& message,
                                                     const SolveLimits& limits) {
  return DecideOptionsReader(message, limits).Run();
}

absl::Duration BudgetOf(const v1::DecideRequest& message, const SolveLimits& limits) {
  if (message.has_budget()) {
    const absl::StatusOr<absl::Duration> budget =
        BudgetFromProto(message.budget(), kMinBudget, limits.max_budget);
    if (budget.ok()) return *budget;
  }
  return message.max_iterations() > 0 ? limits.max_budget
                                      : std::min(limits.default_budget, limits.max_budget);
}

absl::StatusOr<DispatchState> StateFromProto(const v1::DecideRequest& message,
                                             const DispatchSite& site) {
  if (message.later_departures_size() > kMaxLaterDepartures) {
    return InvalidField("later_departures", Concat("got ", message.later_departures_size(),
                                                   ", wanted at most ", kMaxLaterDepartures));
  }
  DispatchState state{
      .departure = message.departure(),
      .later_departures = {message.later_departures().begin(), message.later_departures().end()},
      .available = {message.available_vehicles().begin(), message.available_vehicles().end()}};
  if (message.requests().empty()) {
    const Instance& instance = site.instance();
    for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
      state.requests.push_back(site.RequestOf(node, instance.id(node)));
    }
  } else {
    VRP_ASSIGN_OR_RETURN(state.requests, RequestsReader(site).Run(message));
  }
  const absl::Status valid = CheckState(site, state);
  if (!valid.ok()) return WithRequestFields(valid);
  return state;
}

absl::Status CheckPlannedNodes(const DispatchSite& site, const DispatchState& state,
                               const DecideOptions& options, int32_t max_nodes) {
  const int32_t limit =
      HasMatrices(site.instance()) ? std::min(max_nodes, kMaxMatrixNodes) : max_nodes;
  const auto waiting = static_cast<int64_t>(state.requests.size());
  if (waiting + 1 > limit) {
    return InvalidField("requests", Concat("got ", waiting, ", wanted at most ", limit - 1));
  }
  if (options.log != nullptr) {
    int64_t largest = 0;
    for (const LoggedDay& day : *options.log) largest = std::max(largest, std::ssize(day.requests));
    if (waiting + 1 + largest <= limit) return absl::OkStatus();
    return InvalidField("request_log",
                        Concat("has a day of ", largest, " requests, which with ", waiting,
                               " waiting requests is more than ", limit - 1));
  }
  const int64_t departures = DrawnDepartures(state, options);
  if (waiting + 1 + departures * options.requests_per_departure <= limit) return absl::OkStatus();
  return InvalidField("requests_per_departure",
                      Concat("got ", options.requests_per_departure, " for each of ", departures,
                             " later departures, which with ", waiting,
                             " waiting requests is more than ", limit - 1));
}

absl::StatusOr<std::unique_ptr<DispatchPolicy>> PolicyOf(
    const DispatchSite& site, const DecideOptions& options,
    const std::optional<DispatchModel>& model) {
  DispatchPolicyRequest request{.kind = options.policy.kind, .sampling = options.policy.sampling};
  if (options.log != nullptr) {
    request.sampler = std::make_shared<const LogSampler>(site, options.log, options.margin);
  } else if (NeedsSampler(options.policy.kind)) {
    request.sampler = std::make_shared<const SiteSampler>(site, options.requests_per_departure);
  }
  if (model.has_value()) request.model = model->PrizesFor(site, request.sampler);
  return MakeDispatchPolicy(site, request);
}

v1::DecideResponse ToProto(const DispatchSite& site, const DispatchState& state,
                           const DispatchDecision& decision) {
  // The solution's nodes are requests; those of the response are addresses.
  Solution solution = decision.solution;
  solution.unserved.clear();
  for (Route& route : solution.routes) {
    for (Stop& stop : route.stops) {
      if (stop.node > 0) stop.node = state.requests[stop.node - 1].customer;
    }
  }
  const Instance& instance = site.instance();
  v1::DecideResponse message;
  message.set_name(instance.name());
  *message.mutable_solution() = ToProto(instance, solution);
  for (int r = 0; r < message.solution().routes_size(); ++r) {
    v1::Route& route = *message.mutable_solution()->mutable_routes(r);
    for (int s = 0; s < route.stops_size(); ++s) {
      const NodeIndex node = decision.solution.routes[r].stops[s].node;
      if (node > 0) route.mutable_stops(s)->set_id(state.requests[node - 1].id);
    }
  }
  for (const WaitingRequest& waiting : decision.waiting) {
    v1::WaitingRequest& added = *message.add_waiting();
    added.set_id(state.requests[waiting.request].id);
    added.set_reason(waiting.reason);
    added.set_missed(waiting.missed);
    if (waiting.missed) *message.add_violations() = MissedMessage(state, waiting);
  }
  message.set_feasible(message.violations().empty());
  message.set_scenarios(decision.scenarios);
  message.set_metric(ToProto(instance.metric()));
  message.set_objective(ToProto(instance.data().objective));
  return message;
}

v1::DispatchPolicy ToProto(DispatchPolicyKind policy) {
  switch (policy) {
    case DispatchPolicyKind::kGreedy:
      return v1::DISPATCH_POLICY_GREEDY;
    case DispatchPolicyKind::kLazy:
      return v1::DISPATCH_POLICY_LAZY;
    case DispatchPolicyKind::kHorizon:
      return v1::DISPATCH_POLICY_HORIZON;
    case DispatchPolicyKind::kSampling:
      return v1::DISPATCH_POLICY_SAMPLING;
    case DispatchPolicyKind::kModel:
      return v1::DISPATCH_POLICY_MODEL;
  }
  return v1::DISPATCH_POLICY_UNSPECIFIED;
}

}  // namespace vrp
