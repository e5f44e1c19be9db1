#include "core/base/cpu_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>

#include "core/base/steady_time.h"

namespace vrp {
namespace {

int64_t NanosecondsSince(absl::Time start) { return absl::ToInt64Nanoseconds(SteadyNow() - start); }

}  // namespace

// State shared by the caller of ParallelFor and its helpers. A helper that wakes up after the end
// finds no index left and never touches `body`, which ended with the caller's frame.
struct CpuPool::Loop {
  Loop(int64_t indices, absl::FunctionRef<void(int64_t)> function)
      : count(indices), body(function) {}

  // Takes indices until none is left, and runs each unless a call has failed. Adds the time of a
  // helper's calls to `nanoseconds`, which is null for the caller.
  void Run(std::atomic<int64_t>* nanoseconds) {
    const absl::Time start = SteadyNow();
    int64_t own_count = 0;
    for (int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      if (!failed.load(std::memory_order_relaxed)) RunOne(i);
      ++own_count;
    }
    if (own_count == 0) return;
    if (nanoseconds != nullptr) *nanoseconds += NanosecondsSince(start);
    absl::MutexLock lock(&mu);
    done += own_count;
  }

  void RunOne(int64_t i) {
    try {
      body(i);
    } catch (...) {
      failed = true;
      absl::MutexLock lock(&mu);
      if (first_exception == nullptr) first_exception = std::current_exception();
    }
  }

  void AwaitDone() {
    absl::MutexLock lock(&mu);
    mu.Await(absl::Condition(
        +[](Loop* loop) ABSL_NO_THREAD_SAFETY_ANALYSIS { return loop->done == loop->count; },
        this));
  }

  void RethrowFirst() {
    absl::MutexLock lock(&mu);
    if (first_exception != nullptr) std::rethrow_exception(first_exception);
  }

  const int64_t count;
  const absl::FunctionRef<void(int64_t)> body;
  std::atomic<int64_t> next{0};
  std::atomic<bool> failed{false};
  absl::Mutex mu;
  int64_t done ABSL_GUARDED_BY(mu) = 0;
  std::exception_ptr first_exception ABSL_GUARDED_BY(mu);
};

CpuPool::CpuPool(int threads) {
  const int count = std::max(threads, 1);
  workers_.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) workers_.emplace_back([this] { Work(); });
}

CpuPool::~CpuPool() {
  {
    absl::MutexLock lock(&mu_);
    closing_ = true;
  }
  for (std::thread& worker : workers_) worker.join();
}

void CpuPool::ParallelFor(int64_t count, absl::FunctionRef<void(int64_t)> body) {
  const int64_t helpers = std::min<int64_t>(threads(), count) - 1;
  if (helpers <= 0) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  const auto loop = std::make_shared<Loop>(count, body);
  try {
    for (int64_t i = 0; i < helpers; ++i) {
      Enqueue([this, loop] { loop->Run(&extra_nanoseconds_); });
    }
  } catch (const std::bad_alloc&) {
    // Runs the caller's share even if only some helpers were queued. An early return would destroy
    // `body` while these helpers use it.
  }
  loop->Run(nullptr);
  const absl::Time own_end = SteadyNow();
  loop->AwaitDone();
  extra_nanoseconds_ -= NanosecondsSince(own_end);
  loop->RethrowFirst();
}

void CpuPool::Enqueue(absl::AnyInvocable<void()> task) {
  absl::MutexLock lock(&mu_);
  queue_.push_back(std::move(task));
}

void CpuPool::Work() {
  const auto ready = [this]()
                         ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return !queue_.empty() || closing_; };
  while (true) {
    absl::AnyInvocable<void()> task;
    {
      absl::MutexLock lock(&mu_, absl::Condition(&ready));
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace vrp
