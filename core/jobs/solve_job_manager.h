// Jobs on a solver, which outlive the connection and the daemon: long solves and simulations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/base/stop_signal.h"
#include "core/jobs/job_book.h"
#include "core/jobs/job_runner.h"
#include "core/jobs/job_solver.h"
#include "core/jobs/solve_job_run.h"
#include "core/registry/dataset_store.h"

namespace vrp {

// A manager that queues, runs, stops and stores the jobs of one kind. Thread-safe; blocks on the
// disk.
// Returns errors of the store as JobBook does.
class SolveJobManager {
 public:
  // The environment and the limits of a manager.
  struct Options {
    JobKind kind = JobKind::kSolve;      // of the jobs; HasRequest(kind)
    std::shared_ptr<JobBook> book = {};  // stores the jobs
    JobSolver* solver = nullptr;         // outlives the manager
    // Has the datasets that jobs read; outlives the manager. Null: no datasets.
    const DatasetStore* datasets = nullptr;
    const Clock* clock = nullptr;  // outlives the manager
    int32_t max_running = 1;       // number of concurrent jobs
    int32_t niceness = 0;          // increment of the jobs' nice value; see JobRunner
    // Minimum time between two writes of the plan and of the search time. The last values are
    // always stored.
    absl::Duration store_interval = absl::Seconds(1);
    int32_t max_attempts = 3;   // number of crashes of the daemon in the same job without progress,
                                // after which the job ends
    int32_t max_queued = 1000;  // maximum number of queued jobs
  };
  // Recovers interrupted jobs (see RecoverSolveJobs), ends those that are STOPPING (a few
  // milliseconds each) and starts the threads that run jobs.
  static absl::StatusOr<std::unique_ptr<SolveJobManager>> Create(const Options& options);
  // Stops the running jobs and stores their results so far and search times. The jobs resume at the
  // next start. Blocks for the milliseconds that a search needs to stop.
  ~SolveJobManager() = default;
  SolveJobManager(const SolveJobManager&) = delete;
  SolveJobManager& operator=(const SolveJobManager&) = delete;

  // Queues a job durably. Returns the existing job if the request_id was used with the same
  // request, and kAlreadyExists if it was used with another request. Returns kResourceExhausted if
  // the queue or the state folder's quota is full, and kInvalidArgument for an invalid request_id.
  // The caller must have checked the request. spec.kind must be that of the manager. Returns
  // kNotFound if spec.dataset was deleted meanwhile.
  absl::StatusOr<Job> Submit(const SolveSpec& spec, const std::string& request_id);
  absl::StatusOr<Job> Get(std::string_view id) const;
  // Calls JobBook::List.
  absl::StatusOr<JobPage> List(int32_t page_size, const std::string& page_token) const;
  // Calls JobBook::Watch.
  absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(std::string_view id, int64_t from) const;
  // Returns the serialised answer of a job that has succeeded; nullopt if there is none.
  absl::StatusOr<std::optional<std::string>> Answer(std::string_view id) const;
  // Returns the stored parts `first` to `last` of a job's result, in order. Parts count from 1.
  absl::StatusOr<std::vector<std::string>> Parts(std::string_view id, int64_t first,
                                                 int64_t last) const;

  // The request of a job that has not ended.
  struct UnfinishedRequest {
    std::string id;
    std::string request;  // serialised request
  };
  // Returns the requests of unfinished jobs, newest first.
  absl::StatusOr<std::vector<UnfinishedRequest>> ListUnfinishedRequests() const;

  // Ends the job now. The job succeeds with its best plan or its parts; a job without either is
  // cancelled.
  // Has no effect on a job that was stopped, has succeeded or is cancelled. Returns
  // kFailedPrecondition if the job has failed.
  absl::StatusOr<Job> Stop(std::string_view id);
  // Deletes an ended job. Returns kFailedPrecondition if the job has not ended.
  absl::Status Delete(std::string_view id);

 private:
  explicit SolveJobManager(const Options& options);
  // Ends a job that is STOPPING and not running. Builds its answer from its result, on this thread.
  void FinishStoppedJob(const Job& job);

  const JobKind kind_;
  const std::shared_ptr<JobBook> book_;
  const DatasetStore* const datasets_;
  const int32_t max_queued_;
  StopSignal stopping_;
  const SolveRunContext context_;
  const JobRunner::Options runner_options_;
  std::unique_ptr<JobRunner> runner_;  // last, because the runner uses the other members
};

}  // namespace vrp
