// A clock for the phases of a torch engine. The CPU's engines use core/model/policy/phase_clock.h.
#pragma once

#include <ATen/DeviceAccelerator.h>
#include <c10/core/Device.h>

#include <cstddef>

#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// A clock of one thread's time per phase, including the device's work. Not thread-safe. `seconds`
// must outlive the clock.
class TorchPhaseClock {
 public:
  TorchPhaseClock(PhaseSeconds& seconds, c10::Device device)
      : seconds_(seconds), device_(device), since_(SteadyNow()) {}

  // Waits for the device, then adds to `phase` the time since the last call, or since construction.
  void Next(Phase phase) {
    // Kernels run asynchronously, so the clock waits until they are done.
    if (!device_.is_cpu()) at::accelerator::synchronizeDevice(device_.index());
    const absl::Time now = SteadyNow();
    seconds_[static_cast<size_t>(phase)] += absl::ToDoubleSeconds(now - since_);
    since_ = now;
  }

 private:
  PhaseSeconds& seconds_;
  const c10::Device device_;
  absl::Time since_;
};

}  // namespace vrp
