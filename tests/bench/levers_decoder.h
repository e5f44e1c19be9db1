// The attention decoder's levers: our passes over whole tours against LibTorch's operators.
#pragma once

namespace vrp {

// Log-likelihoods of given tours and their gradient: fused, scores recomputed, against torch's
// operators over all steps at once. CVRP50, one tour an instance and (POMO) fifty.
void MeasureSecondPass();

// Sampled tours of CVRP50: a tour at a time in one loop, against torch's operators a step at a time
// for the whole batch.
void MeasureRollout();

}  // namespace vrp
