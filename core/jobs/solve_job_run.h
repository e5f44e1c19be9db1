// One attempt of one job on a solver: from its stored request and results to its stored answer.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/base/stop.h"
#include "core/base/stop_signal.h"
#include "core/jobs/job_solver.h"
#include "core/jobs/job_store.h"

namespace vrp {

// The environment of a run. All members outlive the run.
struct SolveRunContext {
  JobStore* store = nullptr;
  const StopSignal* stopping = nullptr;
  JobSolver* solver = nullptr;
  const Clock* clock = nullptr;
  absl::Duration store_interval;
};

// One attempt of a solve job or a simulation.
class SolveJobRun {
 public:
  // Prepares a run of `job`, which is PREPARING, or STOPPING if it only has to end. Stopping the
  // job or the daemon sets `cancel`.
  SolveJobRun(const SolveRunContext& context, Job job, std::shared_ptr<CancelFlag> cancel)
      : context_(context), job_(std::move(job)), cancel_(std::move(cancel)) {}

  // Runs the job and stores its outcome: SUCCEEDED, FAILED, CANCELLED (stopped before there was a
  // result), or QUEUED again if the daemon stops. Stores errors of the job instead of returning
  // them. Blocks.
  void Run();

 private:
  absl::StatusOr<TaskAnswer> Search();
  absl::StatusOr<SolveTask> MakeTask() const;
  absl::Status Begin();
  absl::StatusOr<TaskAnswer> Solve(const SolveTask& task, TaskReporter& reporter);
  absl::Status Conclude(JobChange& change, const absl::StatusOr<TaskAnswer>& answer) const;

  const SolveRunContext& context_;
  const Job job_;
  const std::shared_ptr<CancelFlag> cancel_;
  SolveProgress progress_;  // progress at the end of the search
};

}  // namespace vrp
