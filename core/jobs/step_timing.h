// Measures on which device the steps of a training are faster.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/device/device.h"
#include "core/jobs/job_spec.h"
#include "core/train/run/trainer.h"

namespace vrp {

// Seconds of a step of one configuration.
struct StepTimes {
  double cpu = 0;
  double gpu = 0;

  bool operator==(const StepTimes&) const = default;
};

// Trains the first steps of `request` in the empty folder `folder`, and returns the mean seconds of
// a step, without the first ones. Keeps nothing of the training but labels, which the real run
// needs too. Returns kCancelled if `cancel` is set meanwhile, and the errors of Trainer::Train.
// Blocks, usually for a few seconds.
absl::StatusOr<double> MeasureStep(Trainer& trainer, TrainingRequest request,
                                   const std::string& folder,
                                   const std::shared_ptr<const CancelFlag>& cancel);

// The devices between which a job chooses, and its threads on the CPU.
struct TimedDevices {
  DeviceInfo cpu;
  DeviceInfo gpu;
  int32_t cpu_threads = 1;
};

// Returns a text that is equal for jobs whose steps take the same time: those on the same devices
// with equal configurations, but for settings that do not change the work of a step, such as the
// name, the seed, the number of epochs, and the validation.
std::string TimingKey(const JobSpec& spec, const TimedDevices& devices);

}  // namespace vrp
