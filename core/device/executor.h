// Executors, which decide which thread uses a device, and in which order tasks run.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "core/device/device.h"

namespace vrp {

// Priorities of tasks. Solving runs before waiting training.
enum class Priority { kSolving, kTraining };

// Device setup that an executor's thread runs around its tasks. Only that thread calls it.
class DeviceHooks {
 public:
  virtual ~DeviceHooks() = default;

  // Prepares the device for tasks of `priority`. Called when the priority changes, and before the
  // first task of DeviceExecutor::Run.
  virtual void Begin(Priority priority) = 0;
  // Returns cached, unused memory to the device.
  virtual void ReleaseCachedMemory() = 0;
};

// Division of a device's memory between serving and training.
struct DeviceShares {
  // Percentage of the memory that training must leave free, 0 to 90. Serving may use all of the
  // memory.
  int32_t serving_memory_percent = 20;
};

// Returns hooks for a CUDA device. Solving gets a stream of higher priority than training. During
// training, an allocation fails for lack of memory if this program's tensors and allocator cache
// would then exceed training's share. Returns null in a build without CUDA.
std::unique_ptr<DeviceHooks> MakeCudaDeviceHooks(int32_t device_index, const DeviceShares& shares);

// An executor of work on one device. A CUDA device belongs to one thread, which runs one task after
// the other. The thread never interrupts a task, so tasks should be short (a training step, a batch
// of requests). Work for the CPU runs immediately in the caller's thread. Thread-safe.
class DeviceExecutor {
 public:
  virtual ~DeviceExecutor() = default;

  // Runs `work` and returns a future of its status. Tasks of equal priority run in order of
  // arrival. The CPU's work and work submitted from a task run inline, so that the future is ready
  // at once. Exceptions of inline work leave Run; the future rethrows those of queued work. After
  // Shutdown, the future returns kCancelled, except for work that a CUDA device's task submits.
  virtual std::future<absl::Status> Run(Priority priority,
                                        absl::AnyInvocable<absl::Status()> work) = 0;
  // Makes the thread call DeviceHooks::ReleaseCachedMemory before any other waiting task. Does not
  // wait for this call. Does nothing on the CPU.
  virtual void ReleaseCachedMemory() = 0;
  // Refuses later work. A CUDA device's executor also blocks until the running task has finished,
  // and answers the waiting tasks with kCancelled. Its destructor calls Shutdown.
  virtual void Shutdown() = 0;
};

// Returns an executor that runs work in the caller's thread.
std::unique_ptr<DeviceExecutor> MakeInlineExecutor();
// Returns an executor with its own thread. `hooks` may be null.
std::unique_ptr<DeviceExecutor> MakeThreadedExecutor(std::unique_ptr<DeviceHooks> hooks);

// The executors of a program's devices, each created on first use. Must outlive all work on them.
// Thread-safe.
class DeviceExecutors {
 public:
  explicit DeviceExecutors(const DeviceShares& shares) : shares_(shares) {}

  DeviceExecutor& Get(DeviceId device);
  const DeviceShares& shares() const { return shares_; }

 private:
  const DeviceShares shares_;
  absl::Mutex mutex_;
  std::map<std::pair<DeviceKind, int32_t>, std::unique_ptr<DeviceExecutor>> executors_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
