// Asks the GPUs how they are once a second, so that whoever wants to know need not wait for them.
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

// In a thread of its own: a driver in trouble may not answer for long, and then neither a training
// nor a scrape waits with it. Thread-safe.
class DeviceSampler {
 public:
  struct Pace {
    absl::Duration interval = absl::Seconds(1);
    // Where there is no driver: to begin may start a program that loads it.
    absl::Duration retry = absl::Minutes(1);
  };
  // Without a reader (its status says why) there is no thread either.
  explicit DeviceSampler(absl::StatusOr<std::unique_ptr<TelemetryReader>> reader)
      : DeviceSampler(std::move(reader), Pace()) {}
  DeviceSampler(absl::StatusOr<std::unique_ptr<TelemetryReader>> reader, const Pace& pace);
  // After the question that is under way.
  ~DeviceSampler();
  DeviceSampler(const DeviceSampler&) = delete;
  DeviceSampler& operator=(const DeviceSampler&) = delete;

  // The last answer, at once; kUnavailable before the first, or why there is none. Never null.
  std::shared_ptr<const DeviceSample> Latest() const;

 private:
  void Run(const Pace& pace);
  // Whether the driver answered.
  bool Sample();

  mutable absl::Mutex mutex_;
  std::shared_ptr<const DeviceSample> latest_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<TelemetryReader> reader_;  // null: there is none; after latest_, which
                                                   // tells why
  StopSignal stopping_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace vrp
