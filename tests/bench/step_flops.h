// Counts the useful arithmetic of a training step by phase, as in a plain implementation. Counts
// multiplications and additions separately, without padding and recomputation.
#pragma once

#include <array>

#include "core/model/policy/policy_engine.h"
#include "tests/bench/bench_case.h"

namespace vrp {

// Numbers of operations, in the order of kPhaseNames.
using PhaseFlops = std::array<double, kPhaseNames.size()>;

// Returns the operations of a step whose trajectories chose `choices` nodes in total; 0 for phases
// that are not counted. Assumes networks of the options' default sizes.
PhaseFlops FlopsByPhase(const BenchCase& c, double choices);

}  // namespace vrp
