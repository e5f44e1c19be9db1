#include "core/base/text.h"
#include "core/model/cpu_graph_transformer.h"
#include "core/model/cpu_pointer_network.h"
#include "core/train/trainer.h"

namespace vrp {

std::unique_ptr<Trainer> MakeTrainer() {
  return MakeTrainerOn([](const TrainingConfig& config, DeviceId device,
                          const EngineOptions&) -> absl::StatusOr<std::unique_ptr<PolicyEngine>> {
    if (device.kind != DeviceKind::kCpu) {
      return absl::UnimplementedError(Concat("device: ", device.ToString(), ": wanted cpu"));
    }
    if (config.model == "gt") {
      return MakeCpuGraphTransformer(config.graph_transformer, config.seed);
    }
    return MakeCpuPointerNetwork(config.network, config.seed);
  });
}

}  // namespace vrp
