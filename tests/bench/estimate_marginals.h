// Compares what one more customer costs by estimates, by cheapest insertion and by search.
#pragma once

#include <cstdint>

#include "core/model/estimate/estimate_model.h"

namespace vrp {

// Draws `instances` instances, takes candidates out of each, and ranks the candidates by what one
// more of them costs. Prints the mean rank correlations with the difference between two searches:
// of the model, of cheapest insertion into the quick plan (as fast as an estimate) and into the
// plan of a search without iterations (slower), and of the same searches with another seed, which
// is the labels' own reliability.
void MeasureMarginals(const EstimateModel& model, uint64_t seed, int instances);

}  // namespace vrp
