// The one pool of worker threads, sized to the cores and shared by search, rollout and serving.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// Thread-safe. Idle workers sleep on a condition; nothing spins. First come, first served.
class CpuPool {
 public:
  // Starts `threads` workers (at least 1).
  explicit CpuPool(int threads);
  // Runs what is queued, then joins.
  ~CpuPool();
  CpuPool(const CpuPool&) = delete;
  CpuPool& operator=(const CpuPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()); }

  // Calls body(0) .. body(count - 1), each once, on at most threads() threads of which the caller
  // is one; returns when all are done. May be nested: a worker that calls it does the work itself
  // while the others are busy. Once a `body` has thrown (no memory), no other index begins, and
  // the first exception comes out here when those under way have ended. Which thread runs which
  // index is not fixed; results that depend on it are a bug of the caller.
  void ParallelFor(int64_t count, absl::FunctionRef<void(int64_t)> body);
  // Returns the thread time of all ParallelFor so far beyond the wall time of their callers. A
  // caller's wall time plus the growth of this is the time summed over threads.
  double extra_thread_seconds() const {
    return 1e-9 * static_cast<double>(extra_nanoseconds_.load(std::memory_order_relaxed));
  }

  // Runs `work` on a worker; an exception of it comes out of the future. A worker must not wait for
  // the future of a task that is still queued (it might be the one to run it).
  template <typename F>
  std::future<std::invoke_result_t<F&>> Submit(F work) {
    std::packaged_task<std::invoke_result_t<F&>()> task(std::move(work));
    auto result = task.get_future();
    Enqueue([task = std::move(task)]() mutable { task(); });
    return result;
  }

 private:
  struct Loop;  // one ParallelFor

  void Enqueue(absl::AnyInvocable<void()> task);
  void Work();

  absl::Mutex mu_;
  std::deque<absl::AnyInvocable<void()>> queue_ ABSL_GUARDED_BY(mu_);
  bool closing_ ABSL_GUARDED_BY(mu_) = false;
  std::atomic<int64_t> extra_nanoseconds_ = 0;  // helpers at work, less callers that wait for them
  std::vector<std::thread> workers_;            // set by the constructor, joined by the destructor
};

}  // namespace vrp
