#include <nlohmann/json.hpp>

#include "client/output/json.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

Json Milliseconds(const google::protobuf::Duration& duration) {
  return JsonNumber(absl::ToDoubleMilliseconds(ToDuration(duration)));
}

// Cost, routes and unserved are null where there is no plan.
void AddProgress(const v1::SolveProgress& progress, Json& object) {
  const bool found = progress.improvements() > 0;
  object["searched_ms"] = Milliseconds(progress.searched());
  object["improvements"] = progress.improvements();
  object["cost"] = found ? JsonNumber(progress.cost()) : Json();
  object["routes"] = found ? Json(progress.routes()) : Json();
  object["unserved"] = found ? Json(progress.unserved()) : Json();
  object["improved_ms"] = found ? Milliseconds(progress.improved()) : Json();
}

}  // namespace

Json SolveJobJson(const v1::SolveJob& job) {
  const auto time = [](bool present, const google::protobuf::Timestamp& at) {
    return present ? Json(FormatTime(at)) : Json();
  };
  Json object = {{"name", job.name()},
                 {"state", JobStateWord(job.state())},
                 {"queue_position", job.queue_position() > 0 ? Json(job.queue_position()) : Json()},
                 {"instance", job.instance()},
                 {"attempt", job.attempt()},
                 {"create_time", time(job.has_create_time(), job.create_time())},
                 {"start_time", time(job.has_start_time(), job.start_time())},
                 {"end_time", time(job.has_end_time(), job.end_time())},
                 {"budget_ms", Milliseconds(job.budget())}};
  AddProgress(job.progress(), object);
  object["error"] = Json();
  if (job.has_error()) {
    object["error"] = {{"code", job.error().code()}, {"message", job.error().message()}};
  }
  object["last_sequence"] = job.last_sequence();
  object["request_id"] = job.request_id().empty() ? Json() : Json(job.request_id());
  object["answer"] = job.has_answer() ? SolveJson(job.answer()) : Json();
  return object;
}

Json EventJson(const v1::WatchSolveJobResponse& event) {
  Json object = {{"sequence", event.sequence()}, {"attempt", event.attempt()}};
  object["type"] = "unknown";  // of a newer daemon
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
      AddProgress(event.improvement(), object);
      break;
    case v1::WatchSolveJobResponse::kResumed:
      object["type"] = "resumed";
      AddProgress(event.resumed(), object);
      break;
    case v1::WatchSolveJobResponse::kAnswer:
      object["type"] = "answer";
      object["answer"] = SolveJson(event.answer());
      break;
    case v1::WatchSolveJobResponse::EVENT_NOT_SET:
      break;
  }
  return object;
}

}  // namespace vrp::client
