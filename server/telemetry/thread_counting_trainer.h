// A trainer that counts its threads as busy while it trains.
#pragma once

#include <string>

#include "core/train/run/trainer.h"
#include "server/support/busy_threads.h"

namespace vrp {

class ThreadCountingTrainer final : public Trainer {
 public:
  // Both arguments must outlive the trainer.
  ThreadCountingTrainer(Trainer& trainer, BusyThreads& busy) : trainer_(trainer), busy_(busy) {}

  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override {
    // Training on a GPU uses one thread of the host.
    const bool on_cpu = request.device.kind == DeviceKind::kCpu;
    const BusyThreads::Lease lease = busy_.Take(on_cpu ? request.threads : 1);
    return trainer_.Train(request, stop, observer);
  }
  absl::Status CheckInputs(const TrainingRequest& request) const override {
    return trainer_.CheckInputs(request);
  }
  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    return trainer_.ResumeStep(checkpoint_directory);
  }

 private:
  Trainer& trainer_;
  BusyThreads& busy_;
};

}  // namespace vrp
