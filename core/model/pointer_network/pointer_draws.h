// Random draws of a trajectory's step.
#pragma once

#include <cstdint>

#include "core/kernels/routing/step_random.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// Uniform numbers in [0, 1) for step t: one for the choice, one for the node that the decoder
// reads.
struct PointerDraw {
  double choice;
  double reading;
};
inline PointerDraw DrawAt(const RolloutRequest& request, int64_t trajectory, int32_t t) {
  const PhiloxCounter block = StepBlock({request.seed, request.stream, trajectory, t});
  return {FirstUniform(block), SecondUniform(block)};
}

// Whether the decoder reads at step t the node that it would have chosen itself at step t - 1.
inline bool ReadsOwnChoice(const RolloutRequest& request, int64_t trajectory, int32_t t) {
  return t > 0 && request.teacher_forcing < 1 &&
         DrawAt(request, trajectory, t).reading >= request.teacher_forcing;
}

}  // namespace vrp
