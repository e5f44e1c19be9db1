// A trainer that adds the utilisation and memory of its GPU to the progress, and counts its runs as
// work on their devices.
#pragma once

#include <string>

#include "core/device/device_load.h"
#include "core/train/run/trainer.h"
#include "server/telemetry/device_sampler.h"

namespace vrp {

class DeviceUsageTrainer final : public Trainer {
 public:
  // The arguments must outlive the trainer.
  DeviceUsageTrainer(Trainer& trainer, const DeviceSampler& sampler, DeviceLoad& load)
      : trainer_(trainer), sampler_(sampler), load_(load) {}

  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override;
  absl::Status CheckInputs(const TrainingRequest& request) const override {
    return trainer_.CheckInputs(request);
  }
  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    return trainer_.ResumeStep(checkpoint_directory);
  }

 private:
  Trainer& trainer_;
  const DeviceSampler& sampler_;
  DeviceLoad& load_;
};

}  // namespace vrp
