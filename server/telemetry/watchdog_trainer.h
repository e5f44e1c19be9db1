// A trainer that watches each phase: preparation, resumption, steps, validations, checkpoints,
// publications.
#pragma once

#include <string>

#include "core/train/run/trainer.h"
#include "server/telemetry/watchdog.h"

namespace vrp {

// A trainer with watched phases. The limit of a phase is twenty times the mean of the earlier
// phases of its kind, but at least a minute. The first phase of a kind in each run of Train has a
// limit of ten minutes. Labels and validation references may take hours, so the trainer reports
// their parts as separate phases.
class WatchdogTrainer final : public Trainer {
 public:
  // Both arguments must outlive the trainer.
  WatchdogTrainer(Trainer& trainer, Watchdog& watchdog) : trainer_(trainer), watchdog_(watchdog) {}

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
