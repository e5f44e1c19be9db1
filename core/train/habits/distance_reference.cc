#include "core/train/habits/distance_reference.h"

#include <limits>

#include "core/habits/counts/choose_parameters.h"
#include "core/habits/counts/count_model.h"

namespace vrp {

DistanceReference FitDistances(const LegCounter& counter, std::span<const HabitCase> cases,
                               const std::vector<double>& powers, CpuPool& pool) {
  // Counts weigh nothing beside these strengths.
  constexpr double kAll = 1e12;
  CountParameters parameters = {.zone_strength = kAll,
                                .driver_zone_strength = kAll,
                                .stop_strength = kAll,
                                .driver_stop_strength = kAll};
  CountModel model(counter.Count(parameters));
  DistanceReference best = {.cost = std::numeric_limits<double>::infinity(),
                            .leg_length = model.tables().leg_length};
  for (const double power : powers) {
    parameters.distance_power = power;
    model.SetParameters(parameters);
    const double cost = -MeanLogProbability(model, cases, pool);
    if (cost >= best.cost) continue;
    best.cost = cost;
    best.power = power;
  }
  return best;
}

}  // namespace vrp
