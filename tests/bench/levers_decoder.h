// The attention decoder's levers: our passes over whole tours against LibTorch's operators.
#pragma once

namespace vrp {

// Measures log-likelihoods of given tours and their gradient: fused with recomputed scores, against
// torch's operators over all steps at once. CVRP50 with one tour per instance, and with fifty
// (POMO).
void MeasureSecondPass();

// Measures sampling tours of CVRP50: one tour at a time in one loop, against torch's operators one
// step at a time for the whole batch.
void MeasureRollout();

}  // namespace vrp
