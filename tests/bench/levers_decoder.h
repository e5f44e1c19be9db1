// Compares the attention decoder's passes over whole tours with LibTorch's operators.
#pragma once

namespace vrp {

// Measures the time to compute log-likelihoods of given tours and the gradient. Compares fused
// passes that recompute scores with torch's operators over all steps at once. Uses CVRP50 with one
// tour per instance, and with fifty (POMO).
void MeasureSecondPass();

// Measures the time to sample tours of CVRP50. Compares our loop, which samples one tour after the
// other, with torch's operators, which take one step of the whole batch at a time.
void MeasureRollout();

}  // namespace vrp
