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

  void GiveBackMemory() override {}

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
  explicit ThreadedExecutor(std::unique_ptr<DeviceTurns> turns)
      : turns_(std::move(turns)), owner_([this] { Own(); }) {}
  ~ThreadedExecutor() override { Shutdown(); }

  std::future<absl::Status> Run(Priority priority, Work work) override {
    if (std::this_thread::get_id() == owner_id_) return Ready(work());
    Task task{priority, std::move(work), {}};
    std::future<absl::Status> result = task.promise.get_future();
    absl::MutexLock lock(&mutex_);
    if (closed_) {
      task.promise.set_value(ShutDown());
    } else {
      queues_[static_cast<size_t>(priority)].push_back(std::move(task));
    }
    return result;
  }

  void GiveBackMemory() override {
    absl::MutexLock lock(&mutex_);
    gives_back_ = true;
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
    std::optional<Priority> priority;  // none: whoever's turn it is
    Work work;
    std::promise<absl::Status> promise;
  };

  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return closed_ || gives_back_ || !queues_[0].empty() || !queues_[1].empty();
  }

  // The next piece of work; nullopt at the end, when what still waits has been refused.
  std::optional<Task> Next() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &ThreadedExecutor::HasWork));
    if (std::exchange(gives_back_, false)) return MemoryTask();
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

  Task MemoryTask() const {
    const auto give_back = [this] {
      if (turns_ != nullptr) turns_->GiveBackMemory();
      return absl::OkStatus();
    };
    return {std::nullopt, give_back, {}};
  }

  void Own() {
    std::optional<Priority> turn;
    while (std::optional<Task> task = Next()) {
      const std::optional<Priority> next = task->priority.has_value() ? task->priority : turn;
      if (next != turn && turns_ != nullptr) turns_->Begin(*next);
      turn = next;
      Do(*task);
    }
  }

  static void Do(Task& task) {
    try {
      task.promise.set_value(task.work());
    } catch (...) {
      task.promise.set_exception(std::current_exception());
    }
  }

  const std::unique_ptr<DeviceTurns> turns_;
  absl::Mutex mutex_;
  std::array<std::deque<Task>, 2> queues_ ABSL_GUARDED_BY(mutex_);  // by priority
  bool gives_back_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Mutex join_mutex_;
  std::thread owner_;
  const std::thread::id owner_id_ = owner_.get_id();
};

}  // namespace

std::unique_ptr<DeviceExecutor> MakeInlineExecutor() { return std::make_unique<InlineExecutor>(); }
std::unique_ptr<DeviceExecutor> MakeThreadedExecutor(std::unique_ptr<DeviceTurns> turns) {
  return std::make_unique<ThreadedExecutor>(std::move(turns));
}

DeviceExecutor& DeviceExecutors::Of(DeviceId device) {
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<DeviceExecutor>& executor = executors_[{device.kind, device.index}];
  if (executor == nullptr) {
    executor = device.kind == DeviceKind::kCuda
                   ? MakeThreadedExecutor(MakeCudaDeviceTurns(device.index, shares_))
                   : MakeInlineExecutor();
  }
  return *executor;
}

}  // namespace vrp
