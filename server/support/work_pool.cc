#include "server/support/work_pool.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "server/convert/status_convert.h"

namespace vrp {

WorkPool::WorkPool(const Options& options)
    : options_(options), running_(static_cast<size_t>(std::max(1, options.threads))) {
  for (int32_t i = 0; i < std::max(1, options.threads); ++i) {
    threads_.emplace_back([this, i] { Work(static_cast<size_t>(i)); });
  }
}

WorkPool::~WorkPool() { Close(); }

absl::Status WorkPool::CheckForecast(const Forecast& forecast) const {
  if (forecast.latest_start == absl::InfiniteFuture()) return absl::OkStatus();
  const auto idle =
      std::count_if(running_.begin(), running_.end(), [](const std::optional<Running>& running) {
        return !running.has_value() || running->forecast.cancelled();
      });
  if (std::ssize(queue_) < idle) return absl::OkStatus();
  std::vector<Forecast> queued;
  for (const Task& task : queue_) queued.push_back(task.forecast);
  std::vector<absl::Time> busy_until;
  for (const std::optional<Running>& running : running_) {
    busy_until.push_back(running.has_value() ? running->forecast.EndIfStarted(running->begun)
                                             : absl::InfinitePast());
  }
  const absl::Time now = SteadyNow();
  return CheckStartTime(forecast, FirstFreeTime(busy_until, queued, now), now, std::ssize(queue_));
}

absl::Status WorkPool::CheckQueue() const {
  if (closed_) return StoppingError();
  if (queue_.size() < static_cast<size_t>(options_.max_queued)) return absl::OkStatus();
  const absl::Status full = absl::ResourceExhaustedError(
      Concat("busy: ", queue_.size(), queue_.size() == 1 ? " request is" : " requests are",
             " waiting; try again later"));
  return WithReason(WithRetry(full, absl::Seconds(1)), "QUEUE_FULL");
}

absl::Status WorkPool::CheckCapacity() const {
  absl::MutexLock lock(&mutex_);
  return CheckQueue();
}

absl::Status WorkPool::TryRun(absl::AnyInvocable<void()> work, const Forecast& forecast) {
  absl::MutexLock lock(&mutex_);
  VRP_RETURN_IF_ERROR(CheckQueue());
  VRP_RETURN_IF_ERROR(CheckForecast(forecast));
  queue_.push_back({std::move(work), SteadyNow(), forecast});
  return absl::OkStatus();
}

void WorkPool::Run(absl::AnyInvocable<void()> work, const Forecast& forecast) {
  absl::MutexLock lock(&mutex_);
  if (!closed_) queue_.push_back({std::move(work), SteadyNow(), forecast});
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

void WorkPool::Work(size_t thread) {
  // On Linux, nice() changes this thread only.
  if (options_.niceness > 0) (void)!nice(options_.niceness);
  const auto ready = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return closed_ || !queue_.empty();
  };
  while (true) {
    Task task;
    {
      absl::MutexLock lock(&mutex_);
      running_[thread] = std::nullopt;
      mutex_.Await(absl::Condition(&ready));
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
      running_[thread] = Running{task.forecast, SteadyNow()};
    }
    if (options_.on_begin != nullptr) options_.on_begin(SteadyNow() - task.queued);
    const auto watched = BeginWatch(options_.watch, options_.phase, {});
    task.work();
  }
}

}  // namespace vrp
