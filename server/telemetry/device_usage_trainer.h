// A trainer that adds the utilisation and memory of its GPU to the progress.
#pragma once

#include <string>

#include "core/train/run/trainer.h"
#include "server/telemetry/device_sampler.h"

namespace vrp {

class DeviceUsageTrainer final : public Trainer {
 public:
  // Both arguments must outlive the trainer.
  DeviceUsageTrainer(Trainer& trainer, const DeviceSampler& sampler)
      : trainer_(trainer), sampler_(sampler) {}

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
};

}  // namespace vrp
