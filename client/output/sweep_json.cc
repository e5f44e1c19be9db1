#include <map>
#include <nlohmann/json.hpp>

#include "client/output/json.h"
#include "client/support/enum_words.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

Json SweepTrialJson(const v1::SweepTrial& trial) {
  return {
      {"trial", trial.number()},
      {"settings",
       std::map<std::string, std::string>(trial.settings().begin(), trial.settings().end())},
      {"job", TextOrNull(trial.job())},
      {"state", JobStateWord(trial.state())},
      {"dropped", trial.dropped()},
      {"best", trial.best()},
      {"epoch", trial.epoch()},
      {"epochs", trial.total_epochs()},
      {"validation_cost",
       trial.has_validation_cost() ? JsonNumber(trial.validation_cost()) : Json()},
      {"validation_gap", trial.has_validation_gap() ? JsonNumber(trial.validation_gap()) : Json()},
      {"validation_reference", TextOrNull(trial.validation_reference())},
      {"run_time_ms", MillisecondsJson(trial.run_time())},
      {"error", TextOrNull(trial.error())}};
}

void AddTrialProgress(const v1::TrialProgressEvent& event, Json& object) {
  const v1::TrainingProgress& progress = event.progress();
  object["type"] = "progress";
  object["trial"] = event.trial();
  object["epoch"] = progress.epoch();
  object["epochs"] = progress.total_epochs();
  object["validation_cost"] =
      progress.has_validation_cost() ? JsonNumber(progress.validation_cost()) : Json();
}

// Adds the fields of the event's kind.
void AddSweepEvent(const v1::WatchSweepResponse& event, Json& object) {
  switch (event.event_case()) {
    case v1::WatchSweepResponse::kState:
      object["type"] = "state";
      object["state"] = JobStateWord(event.state().state());
      if (!event.state().error().empty()) object["error"] = event.state().error();
      return;
    case v1::WatchSweepResponse::kLog:
      object["type"] = "log";
      object["line"] = event.log().line();
      return;
    case v1::WatchSweepResponse::kProgress:
      AddTrialProgress(event.progress(), object);
      return;
    case v1::WatchSweepResponse::kTrial:
      object["type"] = "trial";
      object.update(SweepTrialJson(event.trial()));
      // The event does not know which trial will be the best.
      object.erase("best");
      return;
    case v1::WatchSweepResponse::kResumedAfter:
      object["type"] = "resumed";
      object["finished_trials"] = event.resumed_after();
      return;
    case v1::WatchSweepResponse::kResult:
      object["type"] = "result";
      object["best_trial"] = event.result().best_trial();
      object["model"] = event.result().model();
      return;
    case v1::WatchSweepResponse::kCompacted:
      object["type"] = "compacted";
      object["first_sequence"] = event.compacted().first_sequence();
      return;
    case v1::WatchSweepResponse::EVENT_NOT_SET:
      object["type"] = "unknown";  // sent by a newer daemon
      return;
  }
}

}  // namespace

Json EventJson(const v1::WatchSweepResponse& event) {
  Json object = {{"sequence", event.sequence()},
                 {"attempt", event.attempt()},
                 {"time", FormatTime(event.time())}};
  if (event.queue_position() > 0) object["queue_position"] = event.queue_position();
  AddSweepEvent(event, object);
  return object;
}

Json SweepJson(const v1::Sweep& sweep) {
  Json error;
  if (sweep.has_error() && sweep.error().code() != 0) {
    error = {{"code", sweep.error().code()}, {"message", sweep.error().message()}};
  }
  Json object = {
      {"name", TextOrNull(sweep.name())},
      {"state", JobStateWord(sweep.state())},
      {"attempt", sweep.attempt()},
      {"model_name", sweep.model_name()},
      {"model", TextOrNull(sweep.model())},
      {"method", LowerCaseWord(sweep.method())},
      {"seed", sweep.seed()},
      {"keys", std::vector<std::string>(sweep.keys().begin(), sweep.keys().end())},
      {"trial_count", sweep.trial_count()},
      {"selection_epochs",
       std::vector<int64_t>(sweep.selection_epochs().begin(), sweep.selection_epochs().end())},
      {"factor", sweep.factor()},
      {"run_time_ms", MillisecondsJson(sweep.run_time())},
      {"error", error},
      {"request_id", TextOrNull(sweep.request_id())},
      {"queue_position", sweep.queue_position() > 0 ? Json(sweep.queue_position()) : Json()},
      {"last_sequence", sweep.last_sequence()}};
  object["create_time"] = TimeOrNull(sweep.has_create_time(), sweep.create_time());
  object["start_time"] = TimeOrNull(sweep.has_start_time(), sweep.start_time());
  object["end_time"] = TimeOrNull(sweep.has_end_time(), sweep.end_time());
  if (sweep.trials().empty()) return object;
  Json trials = Json::array();
  for (const v1::SweepTrial& trial : sweep.trials()) trials.push_back(SweepTrialJson(trial));
  object["trials"] = std::move(trials);
  return object;
}

}  // namespace vrp::client
