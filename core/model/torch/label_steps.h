// WholeSteps along labels, of a sequence model in torch's operators: whole sequences in one pass
// (on CUDA by cuDNN's LSTM), where need be after the network's own choices, step by step. Needs
// torch.
#pragma once

#include <memory>

#include "core/model/torch/recorded_steps.h"

namespace vrp {

std::unique_ptr<WholeSteps> MakeTorchLabelSteps(const WholeStepsRequest& request,
                                                const WholeStepsParts& parts,
                                                std::unique_ptr<StepStream> stream);

}  // namespace vrp
