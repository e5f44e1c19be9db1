// CapturedSteps of REINFORCE for any network, by step_passes.h. Needs torch.
#pragma once

#include <memory>

#include "core/model/torch/captured_steps_base.h"

namespace vrp {

// Makes the steps. The objects that `parts` points to must outlive the steps.
std::unique_ptr<CapturedSteps> MakeReinforceSteps(const CapturedStepsRequest& request,
                                                  const CapturedStepsParts& parts,
                                                  std::unique_ptr<StepStream> stream);

}  // namespace vrp
