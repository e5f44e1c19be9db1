// Long solves that outlive the connection and the daemon: queued, run, stopped, kept.
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

namespace vrp {

// Thread-safe; blocks on the disk. Errors of the store as of JobBook.
class SolveJobManager {
 public:
  struct Options {
    std::shared_ptr<JobBook> book = {};  // keeps the jobs
    JobSolver* solver = nullptr;         // outlives the manager
    const Clock* clock = nullptr;        // outlives the manager
    int32_t at_once = 1;                 // jobs that run at the same time
    int32_t niceness = 0;                // of their threads, see JobRunner
    // Plans and the time searched are stored at most this often, the last always.
    absl::Duration store_interval = absl::Seconds(1);
    int32_t max_attempts = 3;  // crashes of the daemon in the same job without getting on
    int32_t max_queued = 1000;
  };
  // Queues again what was interrupted, ends what was being stopped (some milliseconds each), starts
  // the threads that run the jobs.
  static absl::StatusOr<std::unique_ptr<SolveJobManager>> Create(const Options& options);
  // Stops the running jobs with their best plans and the time that they searched stored; they go on
  // at the next start. Blocks for the milliseconds that a search needs to stop.
  ~SolveJobManager() = default;
  SolveJobManager(const SolveJobManager&) = delete;
  SolveJobManager& operator=(const SolveJobManager&) = delete;

  // Durable when it returns. The same request_id with the same request gives the job that is there
  // already; with another one kAlreadyExists. kResourceExhausted: the queue is full. What the
  // request says was checked by the caller.
  absl::StatusOr<Job> Submit(const SolveSpec& spec, const std::string& request_id);
  absl::StatusOr<Job> Get(std::string_view id) const;
  // As JobBook::List.
  absl::StatusOr<JobPage> List(int32_t page_size, const std::string& page_token) const;
  // As JobBook::Watch.
  absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(std::string_view id, int64_t from) const;
  // Serialised, of a job that has succeeded; nullopt: not yet, or never.
  absl::StatusOr<std::optional<std::string>> Answer(std::string_view id) const;

  struct OpenRequest {
    std::string id;
    std::string request;  // serialised
  };
  // What the jobs that have not ended were asked, newest first.
  absl::StatusOr<std::vector<OpenRequest>> OpenRequests() const;

  // Ends the search now: the job succeeds with the best plan that it has. Without a plan yet a
  // queued job is cancelled. Of a job that was stopped, has succeeded or is cancelled nothing
  // changes. kFailedPrecondition: it has failed.
  absl::StatusOr<Job> Stop(std::string_view id);
  // kFailedPrecondition: it has not ended.
  absl::Status Delete(std::string_view id);

 private:
  explicit SolveJobManager(const Options& options);
  // A job that is STOPPING and does not run: comes to its answer from its plan, in this thread.
  void End(const Job& job);

  const std::shared_ptr<JobBook> book_;
  const int32_t max_queued_;
  StopSignal stopping_;
  const SolveRunContext context_;
  const JobRunner::Options runner_options_;
  std::unique_ptr<JobRunner> runner_;  // last: it uses the others
};

}  // namespace vrp
