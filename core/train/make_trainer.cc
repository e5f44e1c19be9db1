#include "core/base/text.h"
#include "core/model/cpu_graph_transformer.h"
#include "core/train/trainer.h"

namespace vrp {

std::unique_ptr<Trainer> MakeTrainer() {
  return MakeTrainerOn([](const TrainingConfig& config, DeviceId,
                          const EngineOptions&) -> absl::StatusOr<std::unique_ptr<PolicyEngine>> {
    if (config.model == "gt") {
      return MakeCpuGraphTransformer(config.graph_transformer, config.seed);
    }
    return absl::UnimplementedError(Concat("model: ", config.model, ": not there yet"));
  });
}

}  // namespace vrp
