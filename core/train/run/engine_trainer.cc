#include <utility>

#include "core/base/guard_memory.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/run/input_check.h"
#include "core/train/run/trainer.h"
#include "core/train/run/training_run.h"

namespace vrp {
namespace {

// Refuses models that no engine computes.
absl::Status CheckHasEngine(const TrainingConfig& config) {
  if (config.PlansRoutes()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("model: got ", Quoted(config.ArchitectureName()),
             ", which is trained without an engine; this trainer has engines only"));
}

class EngineTrainer final : public Trainer {
 public:
  explicit EngineTrainer(EngineFactory factory) : factory_(std::move(factory)) {}

  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request, const StopCondition& stop,
                                       TrainingObserver& observer) override {
    VRP_RETURN_IF_ERROR(CheckHasEngine(request.config));
    absl::StatusOr<TrainingResult> result = absl::InternalError("the training did not end");
    VRP_RETURN_IF_ERROR(
        GuardMemory([&] { result = TrainingRun(request, stop, observer).Run(factory_); }));
    return result;
  }

  absl::Status CheckInputs(const TrainingRequest& request) const override {
    VRP_RETURN_IF_ERROR(CheckHasEngine(request.config));
    absl::Status status;
    VRP_RETURN_IF_ERROR(GuardMemory([&] { status = CheckTrainingInputs(request); }));
    return status;
  }

  absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) override {
    return NewestCheckpointStep(checkpoint_directory);
  }

 private:
  const EngineFactory factory_;
};

}  // namespace

std::unique_ptr<Trainer> MakeTrainerOn(EngineFactory factory) {
  return std::make_unique<EngineTrainer>(std::move(factory));
}

}  // namespace vrp
