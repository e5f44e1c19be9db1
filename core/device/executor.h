// Who may touch a device, and in which order.
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

// Solving goes before training, where both wait.
enum class Priority { kSolving, kTraining };

// What an executor's thread does on its device around the work. Called by that thread alone.
class DeviceTurns {
 public:
  virtual ~DeviceTurns() = default;

  // What comes now has this priority; what went before had the other one, or there was nothing.
  virtual void Begin(Priority priority) = 0;
  // Memory that nothing uses, kept for what may come, goes back to the device.
  virtual void GiveBackMemory() = 0;
};

struct DeviceShares {
  // Of a device's memory, what trainings leave to serving, which itself may use all that is free.
  int32_t serving_memory_percent = 20;  // to 90
};

// On a CUDA device: solving has streams before which training's wait, and a training that asks for
// more than its share of the memory runs out of it. Null in a build without CUDA.
std::unique_ptr<DeviceTurns> MakeCudaDeviceTurns(int32_t device_index, const DeviceShares& shares);

// Runs work on one device. A CUDA device belongs to one thread, which runs one piece of work after
// the other: pieces should be short (a training step, a batch of requests), for none is
// interrupted. The CPU needs no owner: there work runs at once, in the caller's thread.
// Thread-safe.
class DeviceExecutor {
 public:
  virtual ~DeviceExecutor() = default;

  // Runs `work`; its status comes out of the future, ready already where work runs inline. Of equal
  // priority the first come is the first served. Work that itself calls Run and waits runs inline.
  // What it throws comes out of the future too. After Shutdown: kCancelled.
  virtual std::future<absl::Status> Run(Priority priority,
                                        absl::AnyInvocable<absl::Status()> work) = 0;
  // DeviceTurns::GiveBackMemory, before any other work that waits.
  virtual void GiveBackMemory() = 0;
  // What runs ends, what waits is answered with kCancelled. Blocks; the destructor calls it.
  virtual void Shutdown() = 0;
};

std::unique_ptr<DeviceExecutor> MakeInlineExecutor();
// `turns` may be null.
std::unique_ptr<DeviceExecutor> MakeThreadedExecutor(std::unique_ptr<DeviceTurns> turns);

// The executors of a program's devices, each made when it is first asked for. Outlives all that
// runs on them. Thread-safe.
class DeviceExecutors {
 public:
  explicit DeviceExecutors(const DeviceShares& shares) : shares_(shares) {}

  DeviceExecutor& Of(DeviceId device);
  const DeviceShares& shares() const { return shares_; }

 private:
  const DeviceShares shares_;
  absl::Mutex mutex_;
  std::map<std::pair<DeviceKind, int32_t>, std::unique_ptr<DeviceExecutor>> executors_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
