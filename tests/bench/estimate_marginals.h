// Compares what one more customer costs by estimates, by cheapest insertion and by search.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/estimate/estimate_model.h"

namespace vrp {

// Draws `instances` instances, takes candidates out of each, and ranks the candidates by what one
// more of them costs. Prints the mean rank correlations with the difference between two searches:
// of the model's answers about subsets, of two estimates each by itself, of cheapest insertion into
// the quick plan, into the plan of a search without iterations and into that of a search as long as
// all the model's answers take, and of the same searches with another seed, which is the labels'
// own reliability. Costs of searches are kept in `folder`.
void MeasureMarginals(const EstimateModel& model, uint64_t seed, int instances,
                      const std::string& folder);

}  // namespace vrp
