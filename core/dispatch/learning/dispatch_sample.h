// Labelled decisions for training: what left in the plan made in hindsight.
#pragma once

#include <cstdint>
#include <vector>

#include "core/dispatch/day.h"
#include "core/dispatch/hindsight.h"
#include "core/dispatch/state.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// The state of one decision, and the routes that leave there in a plan of the whole day.
struct DispatchSample {
  DispatchState state = {};
  std::vector<bool> leaves = {};  // whether each request is on one of the routes
  Plan routes = {};               // of indexes into state.requests
};

// Returns a sample for each decision but the last, at which all requests must go. The states are
// those that a policy would see if it had made the same decisions before.
std::vector<DispatchSample> SamplesOf(const DispatchDay& day, const HindsightPlan& hindsight);

}  // namespace vrp
