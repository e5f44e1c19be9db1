// Threads that run the queued jobs of one kind.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/base/stop.h"
#include "core/base/stop_signal.h"
#include "core/jobs/job_store.h"

namespace vrp {

// Decides which queued jobs may start now. Must be thread-safe.
class StartGate {
 public:
  virtual ~StartGate() = default;
  // Decides whether a queued job starts; if so, reserves what it needs. Must not use the store,
  // which is locked.
  virtual QueueDecision Reserve(const JobRecord& job) = 0;
  // Frees what Reserve reserved, after the job's run or if the start failed.
  virtual void Release(const std::string& job_id) = 0;
};

// A pool that runs queued jobs in their order, one per thread. Thread-safe.
class JobRunner {
 public:
  // The jobs to run, and the threads that run the jobs.
  struct Options {
    JobStore* store = nullptr;  // outlives the runner
    JobKind kind = JobKind::kTraining;
    int32_t threads = 1;  // number of jobs that run at once
    // Increment of the nice value of these threads and of those that they start, so that the kernel
    // prefers other threads.
    int32_t niceness = 0;
    StopSignal* stopping = nullptr;  // outlives the runner, whose destructor sets the signal
    StartGate* gate = nullptr;       // outlives the runner; null: each job may start
  };
  // A function that runs a job, which is PREPARING, and blocks until the end of the run. Cancel and
  // the runner's destructor set the flag.
  using Run = std::function<void(const Job& job, const std::shared_ptr<CancelFlag>& cancel)>;

  JobRunner(const Options& options, Run run);
  // Cancels running jobs and blocks until they have ended.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // Wakes a thread, because a job was queued or the gate may let one start.
  void Wake();
  // Sets the flag of the job's run. Returns false if the job is not running (yet). The thread
  // of a job that is PREPARING reads the job's state before the run starts.
  bool Cancel(std::string_view id);

 private:
  void Work();
  // Blocks until a job may be waiting. Returns false if the runner ends.
  bool WaitForWork();
  // Starts the next job that the gate lets start; nullopt if there is none.
  absl::StatusOr<std::optional<Job>> StartNext();
  void RunOne(const Job& job);

  const Options options_;
  const Run run_;
  absl::Mutex mutex_;
  bool wake_ ABSL_GUARDED_BY(mutex_) = true;  // whether a job may be waiting
  std::map<std::string, std::shared_ptr<CancelFlag>, std::less<>> running_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;  // last, because the threads use the other members
};

}  // namespace vrp
