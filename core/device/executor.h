// Who may touch a device, and in which order.
#pragma once

#include <future>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "core/device/device.h"

namespace vrp {

// Solving goes before training, where both wait.
enum class Priority { kSolving, kTraining };

// Runs work on one device. A CUDA device belongs to one thread, which runs one piece of work after
// the other: pieces should be short (a training step, a batch of requests), for none is
// interrupted. The CPU needs no owner: there work runs at once, in the caller's thread.
// Thread-safe.
class DeviceExecutor {
 public:
  virtual ~DeviceExecutor() = default;

  // Runs `work`; its status comes out of the future, ready already where work runs inline. Of equal
  // priority the first come is the first served. Work that itself calls Run and waits runs inline.
  // After Shutdown: kCancelled.
  virtual std::future<absl::Status> Run(Priority priority,
                                        absl::AnyInvocable<absl::Status()> work) = 0;
  // What runs ends, what waits is answered with kCancelled. Blocks; the destructor calls it.
  virtual void Shutdown() = 0;
};

std::unique_ptr<DeviceExecutor> MakeInlineExecutor();
std::unique_ptr<DeviceExecutor> MakeThreadedExecutor();

// The one that `device` needs.
std::unique_ptr<DeviceExecutor> MakeDeviceExecutor(DeviceId device);

}  // namespace vrp
