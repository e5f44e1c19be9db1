// CapturedSteps of REINFORCE, by the two passes of any network (torch_step_passes.h). Needs torch.
#pragma once

#include <memory>

#include "core/model/torch/captured_steps_base.h"

namespace vrp {

std::unique_ptr<CapturedSteps> MakeReinforceSteps(const CapturedStepsRequest& request,
                                                const CapturedStepsParts& parts,
                                                std::unique_ptr<StepStream> stream);

}  // namespace vrp
