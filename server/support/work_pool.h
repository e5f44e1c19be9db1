// Threads for the work of RPCs, so that gRPC's own never compute or wait for a disk.
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

// Thread-safe. First come, first served; idle workers sleep.
class WorkPool {
 public:
  struct Options {
    int32_t threads = 1;
    int32_t max_queued = 64;  // for TryRun: waiting, not running
    int32_t niceness = 0;     // that the threads add to the process's
    // Told by the thread that begins a piece of work how long it had waited; null: nobody.
    std::function<void(absl::Duration waited)> on_begin = nullptr;
    // Each piece of work is watched as this phase while it runs.
    WatchFn watch = nullptr;
    std::string phase = {};
  };
  explicit WorkPool(const Options& options);
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  int32_t threads() const { return options_.threads; }
  int32_t max_queued() const { return options_.max_queued; }
  // Pieces of work that no thread has begun yet.
  int64_t waiting() const;

  // Whether TryRun would find the queue full, for whom it is dear to say what the work is.
  absl::Status CheckRoom() const;
  // kResourceExhausted with a RetryInfo when the queue is full, or when all threads are busy and by
  // what is known of the work before it it would begin too late (see CheckBegin); kUnavailable
  // after Close. Never blocks.
  absl::Status TryRun(absl::AnyInvocable<void()> work, const Forecast& forecast = {});
  // Without the bound, for the steps of streams, of which each has one at a time. Dropped after
  // Close.
  void Run(absl::AnyInvocable<void()> work, const Forecast& forecast = {});

  // Runs what is queued, joins the threads. Blocks. Twice is harmless; one caller at a time.
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
  // By thread; nothing: it is idle.
  std::vector<std::optional<Running>> running_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // by the constructor and Close alone
};

}  // namespace vrp
