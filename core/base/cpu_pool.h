// The pool of worker threads, sized to the cores and shared by search, rollout and serving.
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

// A pool of worker threads. Thread-safe. Idle workers block without polling. Tasks start in order
// of arrival.
class CpuPool {
 public:
  // Starts `threads` workers (at least 1).
  explicit CpuPool(int threads);
  // Runs the queued tasks, then joins the workers.
  ~CpuPool();
  CpuPool(const CpuPool&) = delete;
  CpuPool& operator=(const CpuPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()); }

  // Calls body(0) .. body(count - 1), each once, on at most threads() threads including the
  // caller's. Returns when all calls are done. Calls may be nested: a worker that calls ParallelFor
  // runs the indices itself while the others are busy.
  // If a `body` throws (out of memory), no further index starts. ParallelFor rethrows the first
  // exception after the running calls end. The thread that runs an index is unspecified, so results
  // must not depend on it.
  void ParallelFor(int64_t count, absl::FunctionRef<void(int64_t)> body);
  // Returns the thread time of all ParallelFor calls so far, minus their callers' wall time. A
  // caller's wall time plus the growth of this value is the time summed over threads.
  double extra_thread_seconds() const {
    return 1e-9 * static_cast<double>(extra_nanoseconds_.load(std::memory_order_relaxed));
  }

  // Runs `work` on a worker. The future rethrows exceptions of `work`. A worker must not wait for
  // the future of a queued task, because this worker may be the only thread that can run the task.
  template <typename F>
  std::future<std::invoke_result_t<F&>> Submit(F work) {
    std::packaged_task<std::invoke_result_t<F&>()> task(std::move(work));
    auto result = task.get_future();
    Enqueue([task = std::move(task)]() mutable { task(); });
    return result;
  }

 private:
  struct Loop;  // state of one ParallelFor

  void Enqueue(absl::AnyInvocable<void()> task);
  void Work();

  absl::Mutex mu_;
  std::deque<absl::AnyInvocable<void()>> queue_ ABSL_GUARDED_BY(mu_);
  bool closing_ ABSL_GUARDED_BY(mu_) = false;
  // Time of helpers minus the time that callers wait for them.
  std::atomic<int64_t> extra_nanoseconds_ = 0;
  std::vector<std::thread> workers_;  // set by the constructor, joined by the destructor
};

}  // namespace vrp
