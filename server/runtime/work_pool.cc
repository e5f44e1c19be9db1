#include "server/runtime/work_pool.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "server/convert/status_convert.h"

namespace vrp {

WorkPool::WorkPool(const Options& options) : options_(options) {
  for (int32_t i = 0; i < std::max(1, options.threads); ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

WorkPool::~WorkPool() { Close(); }

absl::Status WorkPool::TryRun(absl::AnyInvocable<void()> work) {
  absl::MutexLock lock(&mutex_);
  if (closed_) return StoppingError();
  if (queue_.size() >= static_cast<size_t>(options_.max_queued)) {
    const absl::Status full = absl::ResourceExhaustedError(
        Concat("busy: ", queue_.size(), " requests are waiting; try again later"));
    return WithReason(WithRetry(full, absl::Seconds(1)), "QUEUE_FULL");
  }
  queue_.push_back({std::move(work), SteadyNow()});
  return absl::OkStatus();
}

void WorkPool::Run(absl::AnyInvocable<void()> work) {
  absl::MutexLock lock(&mutex_);
  if (!closed_) queue_.push_back({std::move(work), SteadyNow()});
}

int64_t WorkPool::waiting() const {
  absl::MutexLock lock(&mutex_);
  return std::ssize(queue_);
}

void WorkPool::Close() {
  {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
  }
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void WorkPool::Work() {
  const auto ready = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return closed_ || !queue_.empty();
  };
  while (true) {
    Task task;
    {
      absl::MutexLock lock(&mutex_, absl::Condition(&ready));
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    if (options_.on_begin != nullptr) options_.on_begin(SteadyNow() - task.queued);
    task.work();
  }
}

}  // namespace vrp
