#include "core/model/make_engine.h"
#include "core/train/run/trainer.h"

namespace vrp {

std::unique_ptr<Trainer> MakeTrainer(DeviceExecutors* executors) {
  return MakeTrainerOn([executors](const TrainingConfig& config, DeviceId device,
                                   const EngineOptions& options) {
    const bool transformer = config.IsGraphTransformer();
    const std::string sizes = transformer ? WriteGraphTransformerOptions(config.graph_transformer)
                                          : WritePointerNetworkOptions(config.network);
    return MakeEngine({.architecture = config.model,
                       .architecture_json = sizes,
                       .device = device,
                       .seed = config.seed,
                       .options = options,
                       .executors = executors,
                       .priority = Priority::kTraining});
  });
}

}  // namespace vrp
