#include "core/device/executor.h"

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace vrp {
namespace {

using Work = absl::AnyInvocable<absl::Status()>;

std::future<absl::Status> Ready(absl::Status status) {
  std::promise<absl::Status> promise;
  promise.set_value(std::move(status));
  return promise.get_future();
}

absl::Status ShutDown() { return absl::CancelledError("the device's executor was shut down"); }

class InlineExecutor final : public DeviceExecutor {
 public:
  std::future<absl::Status> Run(Priority, Work work) override {
    {
      absl::MutexLock lock(&mutex_);
      if (closed_) return Ready(ShutDown());
    }
    return Ready(work());
  }

  void Shutdown() override {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
  }

 private:
  absl::Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

class ThreadedExecutor final : public DeviceExecutor {
 public:
  ThreadedExecutor() : owner_([this] { Own(); }) {}
  ~ThreadedExecutor() override { Shutdown(); }

  std::future<absl::Status> Run(Priority priority, Work work) override {
    if (std::this_thread::get_id() == owner_id_) return Ready(work());
    Task task{std::move(work), {}};
    std::future<absl::Status> result = task.promise.get_future();
    absl::MutexLock lock(&mutex_);
    if (closed_) {
      task.promise.set_value(ShutDown());
    } else {
      queues_[static_cast<size_t>(priority)].push_back(std::move(task));
    }
    return result;
  }

  void Shutdown() override {
    {
      absl::MutexLock lock(&mutex_);
      closed_ = true;
    }
    absl::MutexLock lock(&join_mutex_);
    if (owner_.joinable()) owner_.join();
  }

 private:
  struct Task {
    Work work;
    std::promise<absl::Status> promise;
  };

  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return closed_ || !queues_[0].empty() || !queues_[1].empty();
  }

  // The next piece of work; nullopt at the end, when what still waits has been refused.
  std::optional<Task> Next() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &ThreadedExecutor::HasWork));
    for (std::deque<Task>& queue : queues_) {
      if (closed_) {
        for (Task& task : queue) task.promise.set_value(ShutDown());
        queue.clear();
      } else if (!queue.empty()) {
        Task task = std::move(queue.front());
        queue.pop_front();
        return task;
      }
    }
    return std::nullopt;
  }

  void Own() {
    while (std::optional<Task> task = Next()) task->promise.set_value(task->work());
  }

  absl::Mutex mutex_;
  std::array<std::deque<Task>, 2> queues_ ABSL_GUARDED_BY(mutex_);  // by priority
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Mutex join_mutex_;
  std::thread owner_;
  const std::thread::id owner_id_ = owner_.get_id();
};

}  // namespace

std::unique_ptr<DeviceExecutor> MakeInlineExecutor() { return std::make_unique<InlineExecutor>(); }
std::unique_ptr<DeviceExecutor> MakeThreadedExecutor() {
  return std::make_unique<ThreadedExecutor>();
}

std::unique_ptr<DeviceExecutor> MakeDeviceExecutor(DeviceId device) {
  return device.kind == DeviceKind::kCuda ? MakeThreadedExecutor() : MakeInlineExecutor();
}

}  // namespace vrp
