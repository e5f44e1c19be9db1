// A trainer that is watched phase by phase: preparation, steps, validations, checkpoints, the
// model.
#pragma once

#include <string>

#include "core/train/run/trainer.h"
#include "server/telemetry/watchdog.h"

namespace vrp {

// The usual time of a phase is the mean of the job's own so far. Far beyond it: twenty times that,
// and at least a minute; of a job's first, ten minutes. Labels and references for the validation,
// which may take hours, are watched piece by piece.
class WatchedTrainer final : public Trainer {
 public:
  // Both outlive it.
  WatchedTrainer(Trainer& trainer, Watchdog& watchdog) : trainer_(trainer), watchdog_(watchdog) {}

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
  Watchdog& watchdog_;
};

}  // namespace vrp
