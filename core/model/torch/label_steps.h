// CapturedSteps that learn from labels. A sequence model processes whole sequences in one pass (on
// CUDA by cuDNN's LSTM); with scheduled sampling it first chooses step by step. Needs torch.
#pragma once

#include <memory>

#include "core/model/torch/captured_steps_base.h"

namespace vrp {

// Makes the steps. The objects that `parts` points to must outlive the steps.
std::unique_ptr<CapturedSteps> MakeLabelSteps(const CapturedStepsRequest& request,
                                              const CapturedStepsParts& parts,
                                              std::unique_ptr<StepStream> stream);

}  // namespace vrp
