// The threads that run the queued jobs of one kind.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/stop.h"
#include "core/base/stop_signal.h"
#include "core/jobs/job_store.h"

namespace vrp {

// Thread-safe. Each thread takes the oldest queued job, runs it, takes the next.
class JobRunner {
 public:
  struct Options {
    JobStore* store = nullptr;  // outlives the runner
    JobKind kind = JobKind::kTraining;
    int32_t threads = 1;  // jobs that run at once
    // Added to the threads' nice value, and so to that of the threads that they start: the kernel
    // gives the cores to others first.
    int32_t niceness = 0;
    StopSignal* stopping = nullptr;  // outlives the runner, which sets it when it goes
  };
  // Given a job that is PREPARING, and the flag that Cancel and the end of the runner set; blocks
  // until the job's run is over.
  using Run = std::function<void(const Job& job, const std::shared_ptr<CancelFlag>& cancel)>;

  JobRunner(const Options& options, Run run);
  // Cancels what runs and waits for it.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // A job was queued.
  void Wake();
  // Sets the flag of the job's run; false: it does not run (yet: a job that is PREPARING may be on
  // its way to its thread, which looks at the job's state).
  bool Cancel(std::string_view id);

 private:
  void Work();
  // Blocks until a job may wait; false: the runner goes.
  bool WaitForWork();
  void RunOne(const Job& job);

  const Options options_;
  const Run run_;
  absl::Mutex mutex_;
  bool wake_ ABSL_GUARDED_BY(mutex_) = true;  // a job may wait
  std::map<std::string, std::shared_ptr<CancelFlag>, std::less<>> running_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;  // last: they use the others
};

}  // namespace vrp
