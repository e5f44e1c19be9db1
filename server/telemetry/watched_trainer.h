// A trainer whose steps, validations and checkpoints are watched.
#pragma once

#include <string>

#include "core/train/trainer.h"
#include "server/telemetry/watchdog.h"

namespace vrp {

// The usual time of a phase is the mean of the job's own so far. Far beyond it: twenty times that,
// and at least a minute; of a job's first, ten minutes. What a trainer does before its first step
// (labels, a reference for the validation) may take hours, and is not watched.
class WatchedTrainer final : public Trainer {
 public:
  // Both outlive it.
  WatchedTrainer(Trainer& trainer, Watchdog& watchdog) : trainer_(trainer), watchdog_(watchdog) {}

  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override;
  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    return trainer_.ResumeStep(checkpoint_directory);
  }

 private:
  Trainer& trainer_;
  Watchdog& watchdog_;
};

}  // namespace vrp
