#include <nlohmann/json.hpp>

#include "client/output/json.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

// Adds the progress. Without a plan, cost, routes, unserved and time_to_best_ms are null.
void AddSolveProgress(const v1::SolveProgress& progress, Json& object) {
  const bool found = progress.improvement_count() > 0;
  object["search_time_ms"] = MillisecondsJson(progress.search_time());
  object["improvements"] = progress.improvement_count();
  object["cost"] = found ? JsonNumber(progress.cost()) : Json();
  object["routes"] = found ? Json(progress.route_count()) : Json();
  object["unserved"] = found ? Json(progress.unserved_count()) : Json();
  object["time_to_best_ms"] = found ? MillisecondsJson(progress.time_to_best()) : Json();
}

}  // namespace

Json SolveJobJson(const v1::SolveJob& job) {
  Json object = {{"name", job.name()},
                 {"state", JobStateWord(job.state())},
                 {"queue_position", job.queue_position() > 0 ? Json(job.queue_position()) : Json()},
                 {"instance", job.instance_name()},
                 {"attempt", job.attempt()},
                 {"create_time", TimeOrNull(job.has_create_time(), job.create_time())},
                 {"start_time", TimeOrNull(job.has_start_time(), job.start_time())},
                 {"end_time", TimeOrNull(job.has_end_time(), job.end_time())},
                 {"budget_ms", MillisecondsJson(job.budget())}};
  AddSolveProgress(job.progress(), object);
  object["error"] = Json();
  if (job.has_error()) {
    object["error"] = {{"code", job.error().code()}, {"message", job.error().message()}};
  }
  object["last_sequence"] = job.last_sequence();
  object["request_id"] = TextOrNull(job.request_id());
  object["answer"] = job.has_response() ? SolveJson(job.response()) : Json();
  return object;
}

Json EventJson(const v1::WatchSolveJobResponse& event) {
  Json object = {{"sequence", event.sequence()}, {"attempt", event.attempt()}};
  object["type"] = "unknown";  // sent by a newer daemon
  object["time"] = FormatTime(event.time());
  if (event.queue_position() > 0) object["queue_position"] = event.queue_position();
  switch (event.event_case()) {
    case v1::WatchSolveJobResponse::kState:
      object["type"] = "state";
      object["state"] = JobStateWord(event.state().state());
      if (!event.state().error().empty()) object["error"] = event.state().error();
      break;
    case v1::WatchSolveJobResponse::kLog:
      object["type"] = "log";
      object["line"] = event.log().line();
      break;
    case v1::WatchSolveJobResponse::kImprovement:
      object["type"] = "improvement";
      AddSolveProgress(event.improvement(), object);
      break;
    case v1::WatchSolveJobResponse::kResumed:
      object["type"] = "resumed";
      AddSolveProgress(event.resumed(), object);
      break;
    case v1::WatchSolveJobResponse::kResponse:
      object["type"] = "answer";
      object["answer"] = SolveJson(event.response());
      break;
    case v1::WatchSolveJobResponse::EVENT_NOT_SET:
      break;
  }
  return object;
}

}  // namespace vrp::client
