#include "core/train/make_trainer.h"

#include <string>
#include <utility>

#include "core/model/make_engine.h"
#include "core/train/dispatch/dispatch_trainer.h"
#include "core/train/estimate/estimate_trainer.h"
#include "core/train/habits/habits_trainer.h"

namespace vrp {
namespace {

// Chooses a trainer by the configuration's model.
class AnyTrainer final : public Trainer {
 public:
  explicit AnyTrainer(std::unique_ptr<Trainer> engines) : engines_(std::move(engines)) {}

  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override {
    return TrainerOf(request.config).Train(request, stop, observer);
  }
  absl::Status CheckInputs(const TrainingRequest& request) const override {
    return TrainerOf(request.config).CheckInputs(request);
  }
  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    return engines_->ResumeStep(checkpoint_directory);
  }

 private:
  Trainer& TrainerOf(const TrainingConfig& config) const {
    if (config.habits.has_value()) return *habits_;
    if (config.estimate.has_value()) return *estimate_;
    return config.dispatch.has_value() ? *dispatch_ : *engines_;
  }

  const std::unique_ptr<Trainer> engines_;
  const std::unique_ptr<Trainer> dispatch_ = MakeDispatchTrainer();
  const std::unique_ptr<Trainer> habits_ = MakeHabitsTrainer();
  const std::unique_ptr<Trainer> estimate_ = MakeEstimateTrainer();
};

}  // namespace

std::unique_ptr<Trainer> MakeTrainer(DeviceExecutors* executors) {
  return std::make_unique<AnyTrainer>(MakeTrainerOn(
      [executors](const TrainingConfig& config, DeviceId device, const EngineOptions& options) {
        return MakeEngine({.architecture = config.architecture->name,
                           .architecture_json = config.sizes.json,
                           .device = device,
                           .seed = config.seed,
                           .options = options,
                           .executors = executors,
                           .priority = Priority::kTraining});
      }));
}

}  // namespace vrp
