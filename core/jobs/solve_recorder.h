// Takes what a search finds into its job's record.
#pragma once

#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/base/steady_cond_var.h"
#include "core/jobs/job_solver.h"
#include "core/jobs/job_store.h"

namespace vrp {

// A thread of its own stores the first plan at once, so that a daemon that dies again and again has
// an answer for the job, and from then on the newest one, and how long was searched, at most once
// an interval, so that the search never waits for the disk. What cannot be stored (disk full) is
// tried again an interval later. Thread-safe.
class SolveRecorder {
 public:
  struct Options {
    JobStore* store = nullptr;     // outlives the recorder
    const Clock* clock = nullptr;  // outlives the recorder
    std::string job_id;
    SolveProgress before;  // of earlier attempts
    absl::Duration interval;
  };
  // The search begins.
  explicit SolveRecorder(Options options);
  ~SolveRecorder();
  SolveRecorder(const SolveRecorder&) = delete;
  SolveRecorder& operator=(const SolveRecorder&) = delete;

  void Found(FoundPlan plan);
  // The search has ended: stores what is not stored yet. Gives how far it has come. Once.
  SolveProgress Finish();

 private:
  void Work();
  // Blocks for an interval, but only until the search has ended or, with `or_plan`, there is a plan
  // to store. Whether it has ended.
  bool AwaitEnd(bool or_plan);
  // Whether there was a plan to store.
  bool Store();
  absl::Duration SearchedLately() const;

  const Options options_;
  const absl::Time begun_;
  absl::Mutex mutex_;
  SteadyCondVar changed_;
  SolveProgress progress_ ABSL_GUARDED_BY(mutex_);               // with what is not stored yet
  std::optional<std::string> unstored_ ABSL_GUARDED_BY(mutex_);  // the newest plan
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace vrp
