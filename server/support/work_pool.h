// Runs the work of RPCs on its own threads, so that gRPC's threads never compute or wait for a
// disk.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/watch.h"
#include "server/support/forecast.h"

namespace vrp {

// A pool of threads with a first-in, first-out queue. Idle threads sleep. Thread-safe.
class WorkPool {
 public:
  struct Options {
    int32_t threads = 1;
    int32_t max_queued = 64;  // TryRun refuses a task while this many tasks wait
    int32_t niceness = 0;     // added to the niceness of the process
    // Called by the thread that starts a task, with the time that the task waited. Optional.
    std::function<void(absl::Duration waited)> on_begin = nullptr;
    // Watches each running task as this phase. Optional.
    WatchFn watch = nullptr;
    std::string phase = {};
  };
  explicit WorkPool(const Options& options);
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  int32_t threads() const { return options_.threads; }
  int32_t max_queued() const { return options_.max_queued; }
  // Returns the number of tasks that no thread has started yet.
  int64_t waiting() const;

  // Returns TryRun's error if the queue is full or closed, for callers whose work is costly to
  // build.
  absl::Status CheckCapacity() const;
  // Queues a task. Returns kResourceExhausted with a RetryInfo if the queue is full or the task
  // would start too late (see CheckStartTime). Returns kUnavailable after Close. Does not block.
  absl::Status TryRun(absl::AnyInvocable<void()> work, const Forecast& forecast = {});
  // Queues a task without the limit, for callers that bound their own tasks, such as streams. Drops
  // the task after Close.
  void Run(absl::AnyInvocable<void()> work, const Forecast& forecast = {});

  // Runs the queued tasks and joins the threads. Blocks. Idempotent. Not thread-safe.
  void Close();

 private:
  struct Task {
    absl::AnyInvocable<void()> work;
    absl::Time queued;
    Forecast forecast;
  };
  void Work(size_t thread);
  absl::Status CheckQueue() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckForecast(const Forecast& forecast) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  mutable absl::Mutex mutex_;
  std::deque<Task> queue_ ABSL_GUARDED_BY(mutex_);
  struct Running {
    Forecast forecast;
    absl::Time begun;
  };
  // One entry per thread; nullopt if the thread is idle.
  std::vector<std::optional<Running>> running_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // used only by the constructor and Close
};

}  // namespace vrp
