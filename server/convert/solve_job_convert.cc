#include "server/convert/solve_job_convert.h"

#include "server/convert/job_convert.h"
#include "server/convert/shared_job_fields.h"
#include "server/convert/solution_convert.h"
#include "server/convert/status_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {
v1::SolveProgress ToProto(const SolveProgress& progress) {
  v1::SolveProgress message;
  *message.mutable_search_time() = ToProto(progress.search_time);
  message.set_improvement_count(progress.improvements);
  message.set_cost(progress.cost);
  message.set_route_count(static_cast<int32_t>(progress.routes));
  message.set_unserved_count(static_cast<int32_t>(progress.unserved));
  if (progress.improvements > 0) *message.mutable_time_to_best() = ToProto(progress.improved_at);
  return message;
}

SolveSpec SolveSpecOf(const v1::SolveRequest& request, const Instance& instance) {
  v1::SolveJob summary;
  *summary.mutable_solve() = request;
  summary.mutable_solve()->clear_input();
  summary.mutable_solve()->clear_start();
  summary.set_instance_name(instance.name());
  const Units units = UnitsOf(instance);
  if (units.any()) *summary.mutable_units() = ToProto(units);
  return {.request = request.SerializeAsString(),
          .summary = summary.SerializeAsString(),
          .budget = FromProto(request.budget()).value_or(absl::ZeroDuration())};
}

v1::SolveJob SolveJobToProto(const Job& job) {
  v1::SolveJob message;
  message.ParseFromString(job.solve.summary);
  SetSharedJobFields(job, message);
  *message.mutable_budget() = ToProto(job.solve.budget);
  if (job.attempt > 0) *message.mutable_progress() = ToProto(job.solve.progress);
  return message;
}

v1::WatchSolveJobResponse SolveEventToProto(const JobEvent& event) {
  v1::WatchSolveJobResponse message;
  SetSharedEventFields(event, message);
  switch (event.type) {
    case EventType::kState:
    case EventType::kLog:
      break;  // set by shared_job_fields.h
    case EventType::kResumed:
      *message.mutable_resumed() = ToProto(event.solve.value_or(SolveProgress()));
      break;
    case EventType::kImprovement:
      *message.mutable_improvement() = ToProto(event.solve.value_or(SolveProgress()));
      break;
    case EventType::kAnswer:
      message.mutable_response();
      break;
    case EventType::kProgress:
    case EventType::kCheckpoint:
    case EventType::kModel:
    case EventType::kCompacted:
    case EventType::kPart:
      break;  // solve jobs do not have these events
  }
  return message;
}

}  // namespace vrp
