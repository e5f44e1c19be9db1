// The rival of all habit models: going to near stops.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/habits/counts/count_legs.h"
#include "core/habits/evaluation.h"

namespace vrp {

inline constexpr std::string_view kDistanceReference = "distance alone";

// The probabilities of distances that fit routes best.
struct DistanceReference {
  double cost = 0;        // mean of -log(probability) of the next stop
  double power = 0;       // see CountParameters::distance_power
  double leg_length = 1;  // see CountTables
};

// Tries `powers` on `cases`, neither of which may be empty. No count has a weight.
DistanceReference FitDistances(const LegCounter& counter, std::span<const HabitCase> cases,
                               const std::vector<double>& powers, CpuPool& pool);

}  // namespace vrp
