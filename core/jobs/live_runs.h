// Lets other threads make running training jobs publish their weights or end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "core/base/stop.h"
#include "core/train/run/live_models.h"

namespace vrp {

// A registry of runs by job id. Thread-safe.
class LiveRuns {
 public:
  // Adds a run. EndEarly sets `end_early`. Returns the queue of requests for the run's models.
  std::shared_ptr<LiveModels> Add(const std::string& job_id,
                                  std::shared_ptr<CancelFlag> end_early) {
    auto models = std::make_shared<LiveModels>();
    absl::MutexLock lock(&mutex_);
    if (closed_) models->Close(Closed());
    runs_[job_id] = {models, std::move(end_early)};
    return models;
  }
  // Removes a run. Fails waiting calls with kAborted.
  void Remove(const std::string& job_id) {
    std::shared_ptr<LiveModels> models;
    {
      absl::MutexLock lock(&mutex_);
      const auto found = runs_.find(job_id);
      if (found == runs_.end()) return;
      models = std::move(found->second.models);
      runs_.erase(found);
    }
    models->Close(
        absl::AbortedError("the training run ended before it finished its next step, so its "
                           "weights were not published"));
  }
  // Returns the queue of requests for the run's models; null if the job is not running.
  std::shared_ptr<LiveModels> Find(std::string_view job_id) {
    absl::MutexLock lock(&mutex_);
    const auto found = runs_.find(job_id);
    return found == runs_.end() ? nullptr : found->second.models;
  }
  // Asks the run to end. Does nothing if the job is not running; a later run reads the job's
  // record.
  void EndEarly(std::string_view job_id) {
    absl::MutexLock lock(&mutex_);
    const auto found = runs_.find(job_id);
    if (found != runs_.end()) found->second.end_early->Cancel();
  }
  // Ends all waiting and later calls with kUnavailable.
  void CloseAll() {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
    for (const auto& [id, run] : runs_) run.models->Close(Closed());
  }

 private:
  // A run, and the flag that asks it to end.
  struct Run {
    std::shared_ptr<LiveModels> models;
    std::shared_ptr<CancelFlag> end_early;
  };

  static absl::Status Closed() {
    return absl::UnavailableError("the daemon is stopping; call again");
  }

  absl::Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<std::string, Run, std::less<>> runs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
