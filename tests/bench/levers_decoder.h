// Compares the attention decoder's passes over whole tours with LibTorch's operators.
#pragma once

namespace vrp {

// Measures log-likelihoods of given tours and their gradient. Compares fused passes that recompute
// scores with torch's operators over all steps at once. Uses CVRP50 with one tour per instance, and
// with fifty (POMO).
void MeasureSecondPass();

// Measures sampling tours of CVRP50. Compares one tour at a time in one loop with torch's operators
// one step at a time for the whole batch.
void MeasureRollout();

}  // namespace vrp
