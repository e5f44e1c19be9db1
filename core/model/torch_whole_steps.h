// WholeSteps of a network whose passes are fused (torch_passes.h). Needs torch.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "core/device/step_stream.h"
#include "core/model/engine_options.h"
#include "core/model/torch_network.h"
#include "core/model/torch_parameters.h"
#include "core/model/torch_precision.h"
#include "core/model/whole_steps.h"

namespace vrp {

// What it works on; all outlive it. The parameters are float32, their gradient is tracked.
struct WholeStepsParts {
  const TorchNetwork* network = nullptr;
  FlatParameters* host = nullptr;
  TorchParameters* parameters = nullptr;
  const TorchParameters* baseline = nullptr;  // null: there is none
  const LossScaler* scaler = nullptr;         // null: losses are not scaled
  EngineOptions options;                      // with the precision to train in
};

std::unique_ptr<WholeSteps> MakeTorchWholeSteps(const WholeStepsRequest& request,
                                                const WholeStepsParts& parts,
                                                std::unique_ptr<StepStream> stream);

}  // namespace vrp
