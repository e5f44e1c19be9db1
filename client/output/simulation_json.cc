#include <nlohmann/json.hpp>

#include "client/output/json.h"
#include "client/support/enum_words.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

Json SimulatedDecisionJson(const v1::SimulatedDecision& decision) {
  return {{"departure", JsonNumber(decision.departure())},
          {"known", decision.known_count()},
          {"must_go", decision.must_go_count()},
          {"dispatched", decision.dispatched_count()},
          {"missed", decision.missed_count()},
          {"routes", decision.route_count()},
          {"scenarios", decision.scenarios()},
          {"cost", JsonNumber(decision.cost())},
          {"time_ms", MillisecondsJson(decision.time())}};
}

Json SimulationSummaryJson(const v1::SimulationSummary& summary) {
  Json policies = Json::array();
  for (const v1::PolicySummary& policy : summary.policies()) {
    policies.push_back(
        {{"policy", policy.policy()},
         {"days", policy.day_count()},
         {"mean_cost", JsonNumber(policy.mean_cost())},
         {"mean_gap_percent",
          policy.has_mean_gap_percent() ? JsonNumber(policy.mean_gap_percent()) : Json()},
         {"missed", policy.missed_count()}});
  }
  return {{"policies", policies}, {"stopped", summary.stopped()}};
}

Json DayResultsJson(const v1::SimulatedDayResults& day) {
  Json results = Json::array();
  for (const v1::SimulatedDay& result : day.results()) results.push_back(SimulatedDayJson(result));
  return results;
}

void AddSimulationProgress(const v1::SimulationProgress& progress, Json& object) {
  object["finished_days"] = progress.finished_day_count();
  object["days"] = progress.day_count();
  object["run_time_ms"] = MillisecondsJson(progress.run_time());
}

}  // namespace

std::string DispatchPolicyWord(v1::DispatchPolicy policy) {
  return policy == v1::DISPATCH_POLICY_UNSPECIFIED ? "default" : LowerCaseWord(policy);
}

Json SimulatedDayJson(const v1::SimulatedDay& day) {
  Json decisions = Json::array();
  for (const v1::SimulatedDecision& decision : day.decisions()) {
    decisions.push_back(SimulatedDecisionJson(decision));
  }
  return {{"policy", day.policy()},
          {"site", day.site()},
          {"day", day.day()},
          {"seed", day.seed() > 0 ? Json(day.seed()) : Json()},
          {"requests", day.request_count()},
          {"cost", JsonNumber(day.cost())},
          {"hindsight_cost", day.has_hindsight_cost() ? JsonNumber(day.hindsight_cost()) : Json()},
          {"gap_percent", day.has_gap_percent() ? JsonNumber(day.gap_percent()) : Json()},
          {"missed", day.missed_count()},
          {"hindsight_unserved", day.hindsight_unserved_count()},
          {"decisions", decisions}};
}

Json SimulationJson(const v1::Simulation& simulation) {
  Json policies = Json::array();
  for (const v1::SimulationPolicy& policy : simulation.spec().policies()) {
    policies.push_back(policy.name().empty() ? DispatchPolicyWord(policy.policy()) : policy.name());
  }
  Json days = Json::array();
  for (const v1::SimulatedDayResults& day : simulation.days()) {
    for (const v1::SimulatedDay& result : day.results()) days.push_back(SimulatedDayJson(result));
  }
  Json object = {
      {"name", simulation.name()},
      {"state", JobStateWord(simulation.state())},
      {"queue_position",
       simulation.queue_position() > 0 ? Json(simulation.queue_position()) : Json()},
      {"sites",
       std::vector<std::string>(simulation.site_names().begin(), simulation.site_names().end())},
      {"policies", policies},
      {"attempt", simulation.attempt()},
      {"create_time", TimeOrNull(simulation.has_create_time(), simulation.create_time())},
      {"start_time", TimeOrNull(simulation.has_start_time(), simulation.start_time())},
      {"end_time", TimeOrNull(simulation.has_end_time(), simulation.end_time())}};
  AddSimulationProgress(simulation.progress(), object);
  object["error"] = Json();
  if (simulation.has_error()) {
    object["error"] = {{"code", simulation.error().code()},
                       {"message", simulation.error().message()}};
  }
  object["last_sequence"] = simulation.last_sequence();
  object["request_id"] = TextOrNull(simulation.request_id());
  object["results"] = days;
  object["summary"] =
      simulation.has_summary() ? SimulationSummaryJson(simulation.summary()) : Json();
  return object;
}

Json EventJson(const v1::WatchSimulationResponse& event) {
  Json object = {{"sequence", event.sequence()}, {"attempt", event.attempt()}};
  object["type"] = "unknown";  // sent by a newer daemon
  object["time"] = FormatTime(event.time());
  if (event.queue_position() > 0) object["queue_position"] = event.queue_position();
  switch (event.event_case()) {
    case v1::WatchSimulationResponse::kState:
      object["type"] = "state";
      object["state"] = JobStateWord(event.state().state());
      if (!event.state().error().empty()) object["error"] = event.state().error();
      break;
    case v1::WatchSimulationResponse::kLog:
      object["type"] = "log";
      object["line"] = event.log().line();
      break;
    case v1::WatchSimulationResponse::kDay:
      object["type"] = "day";
      object["results"] = DayResultsJson(event.day());
      break;
    case v1::WatchSimulationResponse::kResumed:
      object["type"] = "resumed";
      AddSimulationProgress(event.resumed(), object);
      break;
    case v1::WatchSimulationResponse::kSummary:
      object["type"] = "summary";
      object["summary"] = SimulationSummaryJson(event.summary());
      break;
    case v1::WatchSimulationResponse::EVENT_NOT_SET:
      break;
  }
  return object;
}

}  // namespace vrp::client
