// WholeSteps of REINFORCE, by the two passes of any network (torch_step_passes.h). Needs torch.
#pragma once

#include <memory>

#include "core/model/torch/recorded_steps.h"

namespace vrp {

std::unique_ptr<WholeSteps> MakeTorchWholeSteps(const WholeStepsRequest& request,
                                                const WholeStepsParts& parts,
                                                std::unique_ptr<StepStream> stream);

}  // namespace vrp
