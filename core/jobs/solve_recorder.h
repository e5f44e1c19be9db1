// Records the plans or the parts of a solver in its job.
#pragma once

#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/base/steady_cond_var.h"
#include "core/base/stop_signal.h"
#include "core/jobs/job_solver.h"
#include "core/jobs/job_store.h"

namespace vrp {

// A recorder with its own thread, so that a search never waits for the disk. Stores the first
// plan at once, so that a job has an answer even if the daemon keeps crashing. Later stores the
// newest plan and the search time at most once per interval. If the disk is full, retries after an
// interval. Thread-safe.
class SolveRecorder final : public TaskReporter {
 public:
  // The job and the interval between two writes.
  struct Options {
    JobStore* store = nullptr;             // outlives the recorder
    const Clock* clock = nullptr;          // outlives the recorder
    const StopSignal* stopping = nullptr;  // outlives the recorder
    std::string job_id;
    SolveProgress before;  // progress of earlier attempts
    absl::Duration interval;
  };
  // Starts the clock of the search.
  explicit SolveRecorder(Options options);
  ~SolveRecorder() override;
  SolveRecorder(const SolveRecorder&) = delete;
  SolveRecorder& operator=(const SolveRecorder&) = delete;

  void ReportPlan(FoundPlan plan) override;
  absl::Status ReportPart(std::string part) override;
  // Stores all unstored changes and returns the progress. Must be called at most once, after the
  // search has ended. If Finish was not called, the destructor calls it.
  SolveProgress Finish();

 private:
  void Work();
  // Blocks until an interval is over, the search has ended or, with `or_plan`, there is a plan to
  // store. Returns whether the search has ended.
  bool AwaitEnd(bool or_plan);
  // Stores the progress and the newest plan. Returns whether there was a plan to store.
  bool Store();
  // Returns the time since the recorder was created.
  absl::Duration SearchTime() const;

  const Options options_;
  const absl::Time start_time_;
  absl::Mutex mutex_;
  SteadyCondVar changed_;
  SolveProgress progress_ ABSL_GUARDED_BY(mutex_);               // including unstored changes
  std::optional<std::string> unstored_ ABSL_GUARDED_BY(mutex_);  // the newest plan
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last, because the thread uses the other members
};

}  // namespace vrp
