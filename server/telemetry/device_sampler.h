// Samples the state of the GPUs once a second, so that readers do not wait for the driver.
#pragma once

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/stop_signal.h"
#include "core/device/device_telemetry.h"

namespace vrp {

using DeviceSample = absl::StatusOr<std::vector<DeviceTelemetry>>;

// A sampler with its own thread, because a driver in trouble may take long to answer. Thread-safe.
class DeviceSampler {
 public:
  struct Pace {
    absl::Duration interval = absl::Seconds(1);
    // Interval after a sample that failed. Each attempt may start a program that loads the driver.
    absl::Duration retry = absl::Minutes(1);
  };
  // Starts no thread if `reader` is an error. Latest then returns that error.
  explicit DeviceSampler(absl::StatusOr<std::unique_ptr<TelemetryReader>> reader)
      : DeviceSampler(std::move(reader), Pace()) {}
  DeviceSampler(absl::StatusOr<std::unique_ptr<TelemetryReader>> reader, const Pace& pace);
  // Blocks until the current sample is complete.
  ~DeviceSampler();
  DeviceSampler(const DeviceSampler&) = delete;
  DeviceSampler& operator=(const DeviceSampler&) = delete;

  // Returns the last sample without blocking, or kUnavailable before the first sample. The pointer
  // is never null.
  std::shared_ptr<const DeviceSample> Latest() const;

 private:
  void Run(const Pace& pace);
  // Takes a sample. Returns whether the driver answered.
  bool Sample();

  mutable absl::Mutex mutex_;
  std::shared_ptr<const DeviceSample> latest_ ABSL_GUARDED_BY(mutex_);
  // Null if there is no reader. Declared after latest_, which the constructor sets from its status.
  const std::unique_ptr<TelemetryReader> reader_;
  StopSignal stopping_;
  std::thread thread_;  // last, because it uses the other members
};

}  // namespace vrp
