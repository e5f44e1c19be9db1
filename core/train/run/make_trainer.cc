#include "core/model/make_engine.h"
#include "core/train/run/trainer.h"

namespace vrp {

std::unique_ptr<Trainer> MakeTrainer(DeviceExecutors* executors) {
  return MakeTrainerOn(
      [executors](const TrainingConfig& config, DeviceId device, const EngineOptions& options) {
        return MakeEngine({.architecture = config.architecture->name,
                           .architecture_json = config.sizes.json,
                           .device = device,
                           .seed = config.seed,
                           .options = options,
                           .executors = executors,
                           .priority = Priority::kTraining});
      });
}

}  // namespace vrp
