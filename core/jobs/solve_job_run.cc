#include "core/jobs/solve_job_run.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/recovery.h"
#include "core/jobs/solve_recorder.h"
#include "core/jobs/update_with_retries.h"
#include "core/solve/solve_limits.h"

namespace vrp {

void SolveJobRun::Run() {
  progress_ = job_.solve.progress;
  const absl::StatusOr<TaskAnswer> answer = Search();
  // If every write fails, the next start finds the job as interrupted.
  UpdateWithRetries(*context_.store, *context_.stopping, job_.id, [&](JobChange& change) {
    return Conclude(change, answer);
  }).IgnoreError();
}

absl::StatusOr<TaskAnswer> SolveJobRun::Search() {
  VRP_ASSIGN_OR_RETURN(const SolveTask task, MakeTask());
  VRP_RETURN_IF_ERROR(Begin());
  SolveRecorder recorder({.store = context_.store,
                          .clock = context_.clock,
                          .stopping = context_.stopping,
                          .job_id = job_.id,
                          .before = job_.solve.progress,
                          .interval = context_.store_interval});
  absl::StatusOr<TaskAnswer> answer = Solve(task, recorder);
  progress_ = recorder.Finish();
  if (answer.ok() && answer->plan.has_value()) {
    progress_.improvements = std::max<int64_t>(progress_.improvements, 1);
    progress_.cost = answer->plan->cost;
    progress_.routes = answer->plan->routes;
    progress_.unserved = answer->plan->unserved;
  }
  return answer;
}

absl::StatusOr<SolveTask> SolveJobRun::MakeTask() const {
  const SolveProgress& before = job_.solve.progress;
  SolveTask task;
  task.search_time = before.search_time;
  if (before.improvements > 0) task.since_improvement = before.search_time - before.improved_at;
  // A job whose budget was used up when the daemon crashed still has to answer.
  task.budget = std::max(job_.solve.budget - before.search_time, kMinBudget);
  task.cancel = cancel_;
  VRP_ASSIGN_OR_RETURN(std::optional<std::string> request,
                       context_.store->ReadContent(job_.id, SolveContent::kRequest));
  if (!request.has_value()) {
    return absl::DataLossError(
        Concat(ResourceName(job_), ": its request is not in the store; submit the job again"));
  }
  task.request = *std::move(request);
  VRP_ASSIGN_OR_RETURN(const std::optional<std::string> plan,
                       context_.store->ReadContent(job_.id, SolveContent::kPlan));
  task.plan = plan.value_or("");
  VRP_ASSIGN_OR_RETURN(task.parts, context_.store->ReadParts(job_.id, 1, INT64_MAX));
  return task;
}

absl::Status SolveJobRun::Begin() {
  return UpdateWithRetries(*context_.store, *context_.stopping, job_.id,
                           [this](JobChange& change) {
                             if (job_.attempt > 1) change.RecordSearchResume();
                             // Handles a job that was stopped before the manager knew the run.
                             if (change.state() == JobState::kStopping) {
                               cancel_->Cancel();
                               return absl::OkStatus();
                             }
                             return change.MoveTo(JobState::kRunning);
                           })
      .status();
}

absl::StatusOr<TaskAnswer> SolveJobRun::Solve(const SolveTask& task, TaskReporter& reporter) {
  // Solvers return a Status. Even so, an exception must not end the daemon.
  try {
    return context_.solver->Solve(task, reporter);
  } catch (const std::exception& error) {
    return absl::InternalError(Concat("the solver threw: ", error.what()));
  } catch (...) {
    return absl::InternalError("the solver threw something that is not a std::exception");
  }
}

absl::Status SolveJobRun::Conclude(JobChange& change,
                                   const absl::StatusOr<TaskAnswer>& answer) const {
  const bool stopped = change.state() == JobState::kStopping;
  const bool interrupted = context_.stopping->IsSet() && !stopped &&
                           (answer.ok() ? answer->cancelled : absl::IsCancelled(answer.status()));
  if (interrupted) {
    change.SetSearchTime(progress_.search_time, absl::ZeroDuration());
    change.RecordLog(Concat("the daemon stops; ", ResumeText(job_.kind), " at the next start"));
    return change.MoveTo(JobState::kQueued);
  }
  if (answer.ok()) {
    change.RecordAnswer(progress_, answer->answer);
    return change.MoveTo(JobState::kSucceeded);
  }
  if (stopped && absl::IsCancelled(answer.status())) return change.MoveTo(JobState::kCancelled);
  return change.Fail(answer.status());
}

}  // namespace vrp
