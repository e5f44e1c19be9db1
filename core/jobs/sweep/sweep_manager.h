// Runs sweeps one at a time. A sweep is a job whose trials are training jobs, which may run side by
// side.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/base/stop_signal.h"
#include "core/jobs/job_book.h"
#include "core/jobs/job_manager.h"
#include "core/jobs/job_runner.h"
#include "core/jobs/sweep/sweep_plan.h"
#include "core/jobs/sweep/sweep_run.h"
#include "core/jobs/sweep/trial_result.h"
#include "core/registry/registry.h"

namespace vrp {

// A sweep's plan and trials.
struct SweepState {
  SweepPlan plan;
  std::vector<TrialResult> trials;  // one per trial of the plan
  // Number of the best trial: of an ended sweep the published one, else the one with the lowest
  // cost so far; 0: none.
  int32_t best = 0;
};

// A manager of the sweeps of a book. Thread-safe; blocks on the disk. Returns errors of the store
// as JobBook does.
class SweepManager {
 public:
  // The environment and the limits of a manager.
  struct Options {
    std::shared_ptr<JobBook> book = {};  // stores sweeps and trials
    JobManager* jobs = nullptr;          // runs the trials; outlives the manager
    Registry* registry = nullptr;        // gets the best trials' models; outlives the manager
    const Clock* clock = nullptr;        // outlives the manager
    int32_t max_queued = 1000;           // maximum number of queued sweeps, including paused ones
    absl::Duration poll_interval = absl::Milliseconds(200);  // time between looks at the trials
    // Minimum time between two events of a trial's progress.
    absl::Duration progress_interval = absl::Seconds(1);
  };
  // Queues interrupted sweeps again, pauses the trials of those that are paused, and starts the
  // thread that runs sweeps. `options.jobs` must have recovered its jobs. Returns kInvalidArgument
  // if an option is missing.
  static absl::StatusOr<std::unique_ptr<SweepManager>> Create(const Options& options);
  // Leaves the running sweep to the next start. Blocks for milliseconds.
  ~SweepManager() = default;
  SweepManager(const SweepManager&) = delete;
  SweepManager& operator=(const SweepManager&) = delete;

  // Calls MakeSweepPlan with a random seed.
  absl::StatusOr<SweepPlan> Plan(const SweepRequest& request, ConfigCheck check) const;
  // Queues the sweep that Plan returned for `request` durably. `summary` is a text of the caller's,
  // which Job::solve returns. Returns the existing sweep if `request_id` was used with the same
  // request, and kAlreadyExists if it was used with another one. Returns kResourceExhausted if the
  // queue or the state folder's quota is full.
  absl::StatusOr<Job> Start(const SweepRequest& request, const SweepPlan& plan,
                            const std::string& summary, const std::string& request_id);
  absl::StatusOr<Job> Get(std::string_view id) const;
  absl::StatusOr<JobPage> List(const JobFilter& filter) const;
  absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(std::string_view id, int64_t from) const;
  // Returns the plan and the trials of a sweep. Trials whose jobs were deleted keep their last
  // result.
  absl::StatusOr<SweepState> State(const Job& sweep) const;
  // Returns the result that the sweep's part number `part` recorded.
  absl::StatusOr<TrialResult> Part(std::string_view id, int64_t part) const;

  // Ends a sweep now: the running trials end with their models, no other one starts, and the best
  // model is published. Without any model, the sweep is CANCELLED. Has no effect on a sweep that
  // was stopped, has succeeded or is cancelled. Returns kFailedPrecondition if the sweep has failed
  // or is being paused.
  absl::StatusOr<Job> Stop(std::string_view id);
  // Pauses a sweep and its running trials, which write checkpoints. Has no effect on a paused
  // sweep. Returns kFailedPrecondition if the sweep has ended or is being stopped.
  absl::StatusOr<Job> Pause(std::string_view id);
  // Queues a paused sweep again. Has no effect on one that waits or runs. Returns
  // kFailedPrecondition if the sweep has ended, or is being stopped or paused.
  absl::StatusOr<Job> Resume(std::string_view id);
  // Deletes an ended sweep and the jobs of its trials. The published model stays. Returns
  // kFailedPrecondition if the sweep has not ended.
  absl::Status Delete(std::string_view id);

 private:
  explicit SweepManager(const Options& options);
  absl::Status Recover();
  // Pauses the trials of a paused sweep, which the previous daemon may have left running.
  void PauseTrials(const Job& sweep);
  absl::StatusOr<Job> Change(std::string_view id,
                             absl::FunctionRef<absl::Status(JobChange&)> change);

  const std::shared_ptr<JobBook> book_;
  JobManager* const jobs_;
  const int32_t max_queued_;
  StopSignal stopping_;
  const SweepRunContext context_;
  std::unique_ptr<JobRunner> runner_;  // last, because the runner uses the other members
};

}  // namespace vrp
