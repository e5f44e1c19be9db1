#include "core/device/executor.h"

#include <array>
#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace vrp {
namespace {

using Work = absl::AnyInvocable<absl::Status()>;

std::future<absl::Status> ReadyFuture(absl::Status status) {
  std::promise<absl::Status> promise;
  promise.set_value(std::move(status));
  return promise.get_future();
}

absl::Status ShutDownError() { return absl::CancelledError("the device's executor was shut down"); }

class InlineExecutor final : public DeviceExecutor {
 public:
  std::future<absl::Status> Run(Priority, Work work) override {
    {
      absl::MutexLock lock(&mutex_);
      if (closed_) return ReadyFuture(ShutDownError());
    }
    return ReadyFuture(work());
  }

  void ReleaseCachedMemory() override {}

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
  explicit ThreadedExecutor(std::unique_ptr<DeviceHooks> hooks)
      : hooks_(std::move(hooks)), owner_([this] { RunTasks(); }) {}
  ~ThreadedExecutor() override { Shutdown(); }

  std::future<absl::Status> Run(Priority priority, Work work) override {
    if (std::this_thread::get_id() == owner_id_) return ReadyFuture(work());
    Task task{priority, std::move(work), {}};
    std::future<absl::Status> result = task.promise.get_future();
    absl::MutexLock lock(&mutex_);
    if (closed_) {
      task.promise.set_value(ShutDownError());
    } else {
      queues_[static_cast<size_t>(priority)].push_back(std::move(task));
    }
    return result;
  }

  void ReleaseCachedMemory() override {
    absl::MutexLock lock(&mutex_);
    releases_memory_ = true;
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
    std::optional<Priority> priority;  // none: keeps the current priority
    Work work;
    std::promise<absl::Status> promise;
  };

  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return closed_ || releases_memory_ || !queues_[0].empty() || !queues_[1].empty();
  }

  // Blocks until there is a task and returns it. After shutdown, refuses the waiting tasks and
  // returns nullopt.
  std::optional<Task> Next() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &ThreadedExecutor::HasWork));
    if (std::exchange(releases_memory_, false)) return ReleaseMemoryTask();
    for (std::deque<Task>& queue : queues_) {
      if (closed_) {
        for (Task& task : queue) task.promise.set_value(ShutDownError());
        queue.clear();
      } else if (!queue.empty()) {
        Task task = std::move(queue.front());
        queue.pop_front();
        return task;
      }
    }
    return std::nullopt;
  }

  Task ReleaseMemoryTask() const {
    const auto release = [this] {
      if (hooks_ != nullptr) hooks_->ReleaseCachedMemory();
      return absl::OkStatus();
    };
    return {std::nullopt, release, {}};
  }

  void RunTasks() {
    std::optional<Priority> current;
    while (std::optional<Task> task = Next()) {
      const std::optional<Priority> next = task->priority.has_value() ? task->priority : current;
      if (next != current && hooks_ != nullptr) hooks_->Begin(*next);
      current = next;
      RunTask(*task);
    }
  }

  static void RunTask(Task& task) {
    try {
      task.promise.set_value(task.work());
    } catch (...) {
      task.promise.set_exception(std::current_exception());
    }
  }

  const std::unique_ptr<DeviceHooks> hooks_;
  absl::Mutex mutex_;
  std::array<std::deque<Task>, 2> queues_ ABSL_GUARDED_BY(mutex_);  // by priority
  bool releases_memory_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Mutex join_mutex_;
  std::thread owner_;
  const std::thread::id owner_id_ = owner_.get_id();
};

}  // namespace

std::unique_ptr<DeviceExecutor> MakeInlineExecutor() { return std::make_unique<InlineExecutor>(); }
std::unique_ptr<DeviceExecutor> MakeThreadedExecutor(std::unique_ptr<DeviceHooks> hooks) {
  return std::make_unique<ThreadedExecutor>(std::move(hooks));
}

DeviceExecutor& DeviceExecutors::Get(DeviceId device) {
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<DeviceExecutor>& executor = executors_[{device.kind, device.index}];
  if (executor == nullptr) {
    executor = device.kind == DeviceKind::kCuda
                   ? MakeThreadedExecutor(MakeCudaDeviceHooks(device.index, shares_))
                   : MakeInlineExecutor();
  }
  return *executor;
}

}  // namespace vrp
