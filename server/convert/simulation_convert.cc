#include "server/convert/simulation_convert.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/solve/solve_limits.h"
#include "server/convert/field_violation.h"
#include "server/convert/shared_job_fields.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

constexpr int32_t kMaxSites = 1'000;
constexpr int32_t kMaxPolicies = 20;
constexpr int32_t kMaxDays = 10'000;  // of each site
constexpr int32_t kDefaultDays = 5;
constexpr int32_t kMaxRequestsPerEpoch = 10'000;
constexpr size_t kMaxPolicyNameBytes = 64;
constexpr absl::Duration kMaxDecisionTime = absl::Hours(1);
constexpr absl::Duration kDefaultHindsight = absl::Seconds(10);
constexpr absl::Duration kMaxHindsight = absl::Hours(24);

class SettingsReader {
 public:
  explicit SettingsReader(const v1::SimulationSpec& message) : message_(message) {}

  absl::StatusOr<SimulationSettings> Run() && {
    ReadSites();
    ReadLog();
    ReadPolicies();
    ReadDays();
    ReadTimes();
    ReadOptions();
    if (invalid_.empty()) return std::move(settings_);
    return FieldError(absl::StatusCode::kInvalidArgument, std::move(invalid_).Take());
  }

 private:
  void ReadSites() {
    const int sites = message_.sites_size();
    if (message_.has_request_log() && sites != 1) {
      invalid_.Add("sites", "got ", sites, ", wanted 1 with a request_log");
    } else if (sites < 1 || sites > kMaxSites) {
      invalid_.Add("sites", "got ", sites, ", wanted 1 to ", kMaxSites);
    }
  }

  void ReadLog() {
    const v1::RequestLog& log = message_.request_log();
    if (log.dataset().empty() || (log.content().empty() && log.name().empty())) return;
    invalid_.Add("request_log.dataset",
                 "given with name or content; leave these out, or the dataset");
  }

  void ReadPolicies() {
    if (message_.policies_size() > kMaxPolicies) {
      invalid_.Add("policies", "got ", message_.policies_size(), ", wanted at most ", kMaxPolicies);
      return;
    }
    for (int i = 0; i < std::max(1, message_.policies_size()); ++i) {
      const v1::SimulationPolicy policy =
          i < message_.policies_size() ? message_.policies(i) : v1::SimulationPolicy();
      ReadPolicy(policy, Concat("policies[", i, "]."));
    }
  }

  void ReadPolicy(const v1::SimulationPolicy& message, const std::string& path) {
    SimulationSettings::Policy policy{.name = message.name(),
                                      .settings = PolicySettingsFromProto(message, path, invalid_)};
    if (policy.name.empty()) policy.name = DispatchPolicyName(policy.settings.kind);
    if (policy.name.size() > kMaxPolicyNameBytes || !IsPrintableUtf8(policy.name)) {
      invalid_.Add(path + "name", "got ", Quoted(policy.name),
                   ", wanted at most 64 bytes of printable UTF-8");
    } else if (!names_.insert(policy.name).second) {
      invalid_.Add(path + "name", "got ", Quoted(policy.name),
                   " again, wanted another name for each policy");
    }
    settings_.policies.push_back(std::move(policy));
  }

  void ReadDays() {
    const bool has_log = message_.has_request_log();
    settings_.days = InRange("days", message_.days(), 0, kMaxDays);
    if (settings_.days == 0 && !has_log) settings_.days = kDefaultDays;
    settings_.first_seed = message_.first_seed() == 0 ? 1 : message_.first_seed();
    if (message_.requests_per_epoch() != 0) {
      settings_.shape.requests_per_epoch =
          InRange("requests_per_epoch", message_.requests_per_epoch(), 1, kMaxRequestsPerEpoch);
    }
    if (has_log && message_.first_seed() != 0) RefuseWithLog("first_seed");
    if (has_log && message_.requests_per_epoch() != 0) RefuseWithLog("requests_per_epoch");
    if (message_.has_epoch()) settings_.shape.epoch = message_.epoch();
    if (!(settings_.shape.epoch > 0) || settings_.shape.epoch > kMaxMagnitude) {
      invalid_.Add("epoch", "got ", message_.epoch(), ", wanted a number above 0, at most 1e12");
    }
    if (message_.has_margin()) {
      settings_.shape.margin = InRange("margin", message_.margin(), 0., kMaxMagnitude);
    }
  }

  void RefuseWithLog(std::string_view field) {
    invalid_.Add(field, "given, but days are not drawn with a request_log; leave it out");
  }

  void ReadTimes() {
    settings_.options.decision_time =
        message_.max_iterations() > 0 ? kMaxDecisionTime : absl::Seconds(1);
    if (message_.has_decision_time()) {
      settings_.options.decision_time =
          Time("decision_time", message_.decision_time(), kMinBudget, kMaxDecisionTime);
    }
    settings_.hindsight_time = kDefaultHindsight;
    if (message_.has_hindsight_time()) {
      settings_.hindsight_time =
          Time("hindsight_time", message_.hindsight_time(), absl::ZeroDuration(), kMaxHindsight);
    }
  }

  void ReadOptions() {
    if (message_.max_iterations() < 0) {
      invalid_.Add("max_iterations", "got ", message_.max_iterations(), ", wanted 0 or more");
    } else if (message_.max_iterations() > 0) {
      settings_.options.max_iterations = message_.max_iterations();
    }
    for (int i = 0; i < message_.vehicles_size(); ++i) {
      if (message_.vehicles(i) < DispatchState::kUnlimited) {
        invalid_.Add(Concat("vehicles[", i, "]"), "got ", message_.vehicles(i),
                     ", wanted at least -1");
      }
    }
    settings_.options.fleet.assign(message_.vehicles().begin(), message_.vehicles().end());
    settings_.options.seed = message_.seed() == 0 ? 1 : message_.seed();
  }

  absl::Duration Time(std::string_view field, const google::protobuf::Duration& time,
                      absl::Duration min, absl::Duration max) {
    const absl::StatusOr<absl::Duration> read = BudgetFromProto(time, min, max);
    if (read.ok()) return *read;
    invalid_.Add(field, FromAbsl(read.status().message()));
    return max;
  }

  template <typename Number>
  Number InRange(std::string_view field, Number value, Number min, Number max) {
    if (!(value >= min && value <= max)) {
      invalid_.Add(field, "got ", value, ", wanted ", min, " to ", max);
    }
    return value;
  }

  const v1::SimulationSpec& message_;
  SimulationSettings settings_;
  std::set<std::string, std::less<>> names_;  // of the policies
  ViolationList invalid_;
};

v1::SimulatedDecision DecisionToProto(const SimulatedDecision& decision) {
  v1::SimulatedDecision message;
  message.set_departure(decision.departure);
  message.set_known_count(decision.known);
  message.set_must_go_count(decision.must_go);
  message.set_dispatched_count(decision.dispatched);
  message.set_missed_count(decision.missed);
  message.set_route_count(decision.routes);
  message.set_scenarios(decision.scenarios);
  message.set_cost(decision.cost);
  *message.mutable_time() = ToProto(absl::Seconds(decision.seconds));
  return message;
}

void SetHindsight(const HindsightPlan& hindsight, v1::SimulatedDay& message) {
  message.set_hindsight_cost(hindsight.cost);
  message.set_hindsight_unserved_count(static_cast<int32_t>(hindsight.unserved.size()));
  if (hindsight.cost > 0) message.set_gap_percent(100 * (message.cost() / hindsight.cost - 1));
}

}  // namespace

absl::StatusOr<SimulationSettings> SimulationSettingsFromProto(const v1::SimulationSpec& message) {
  return SettingsReader(message).Run();
}

v1::SimulatedDayResults ToProto(const ComparedDay& day,
                                const std::vector<SimulationSettings::Policy>& policies) {
  v1::SimulatedDayResults message;
  for (size_t i = 0; i < policies.size(); ++i) {
    const SimulatedDay& simulated = day.comparison.days[i];
    v1::SimulatedDay& result = *message.add_results();
    result.set_day(day.day.name);
    result.set_site(day.site);
    result.set_seed(day.seed);
    result.set_policy(policies[i].name);
    result.set_request_count(static_cast<int32_t>(day.day.requests.size()));
    result.set_cost(simulated.cost);
    if (day.comparison.hindsight.has_value()) SetHindsight(*day.comparison.hindsight, result);
    result.set_missed_count(static_cast<int32_t>(simulated.missed.size()));
    for (const SimulatedDecision& decision : simulated.decisions) {
      *result.add_decisions() = DecisionToProto(decision);
    }
  }
  return message;
}

v1::SimulationSummary SummaryOf(const std::vector<v1::SimulatedDayResults>& days,
                                const std::vector<SimulationSettings::Policy>& policies) {
  v1::SimulationSummary message;
  for (size_t i = 0; i < policies.size(); ++i) {
    v1::PolicySummary& summary = *message.add_policies();
    summary.set_policy(policies[i].name);
    double cost = 0;
    double gap = 0;
    int32_t gaps = 0;
    for (const v1::SimulatedDayResults& day : days) {
      if (day.results_size() <= static_cast<int>(i)) continue;
      const v1::SimulatedDay& result = day.results(static_cast<int>(i));
      summary.set_day_count(summary.day_count() + 1);
      summary.set_missed_count(summary.missed_count() + result.missed_count());
      cost += result.cost();
      gap += result.gap_percent();
      gaps += result.has_gap_percent() ? 1 : 0;
    }
    if (summary.day_count() > 0) summary.set_mean_cost(cost / summary.day_count());
    if (gaps > 0) summary.set_mean_gap_percent(gap / gaps);
  }
  return message;
}

SolveSpec SolveSpecOf(const v1::SimulationSpec& spec, const std::vector<std::string>& site_names) {
  v1::Simulation summary;
  *summary.mutable_spec() = spec;
  summary.mutable_spec()->clear_sites();
  if (spec.has_request_log()) summary.mutable_spec()->mutable_request_log()->clear_content();
  summary.mutable_site_names()->Assign(site_names.begin(), site_names.end());
  summary.mutable_progress()->set_day_count(spec.days() * spec.sites_size());
  return {.kind = JobKind::kSimulation,
          .request = spec.SerializeAsString(),
          .summary = summary.SerializeAsString(),
          .dataset = spec.request_log().dataset()};
}

v1::SimulationProgress SimulationProgressToProto(const Job& job) {
  return SimulationToProto(job).progress();
}

v1::Simulation SimulationToProto(const Job& job) {
  v1::Simulation message;
  message.ParseFromString(job.solve.summary);
  SetSharedJobFields(job, message);
  v1::SimulationProgress& progress = *message.mutable_progress();
  progress.set_finished_day_count(static_cast<int32_t>(job.solve.progress.parts));
  *progress.mutable_run_time() = ToProto(job.solve.progress.search_time);
  return message;
}

v1::WatchSimulationResponse SimulationEventToProto(const JobEvent& event, int32_t day_count) {
  v1::WatchSimulationResponse message;
  SetSharedEventFields(event, message);
  if (event.type == EventType::kPart) message.mutable_day();
  if (event.type == EventType::kAnswer) message.mutable_summary();
  if (event.type == EventType::kResumed) {
    const SolveProgress progress = event.solve.value_or(SolveProgress());
    message.mutable_resumed()->set_finished_day_count(static_cast<int32_t>(progress.parts));
    message.mutable_resumed()->set_day_count(day_count);
    *message.mutable_resumed()->mutable_run_time() = ToProto(progress.search_time);
  }
  return message;
}

}  // namespace vrp
