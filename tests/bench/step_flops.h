// The useful arithmetic of a training step, phase by phase: a multiplication and an addition
// counted each, as a plain implementation has them; no padding, nothing recomputed.
#pragma once

#include "core/model/policy/policy_engine.h"
#include "tests/bench/bench_case.h"

namespace vrp {

// Of a step in which all trajectories together chose `choices` nodes; 0: not counted. For networks
// of the options' default sizes.
PhaseSeconds FlopsByPhase(const BenchCase& c, double choices);

}  // namespace vrp
