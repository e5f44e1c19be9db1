#include "core/search/route/penalty_control.h"

#include <algorithm>

namespace vrp {
namespace {

constexpr double kTarget = 0.3;
constexpr double kRaise = 1.2;
constexpr double kLower = 0.85;
constexpr double kRepair = 10;
// Bounds of a penalty, as multiples of its first value.
constexpr double kLowest = 1e-2;
constexpr double kHighest = 1e4;

}  // namespace

Penalties PenaltyControl::Repairing() const {
  return {.load = penalties_.load * kRepair,
          .time = penalties_.time * kRepair,
          .distance = penalties_.distance * kRepair};
}

bool PenaltyControl::Record(const LimitExcess& excess) {
  kept_.load += excess.load == 0;
  kept_.time += excess.time == 0;
  kept_.distance += excess.distance == 0;
  if (++plans_ < options_.window) return false;
  for (double Penalties::*kind : {&Penalties::load, &Penalties::time, &Penalties::distance}) {
    Adapt(kind);
  }
  kept_ = {};
  plans_ = 0;
  return true;
}

void PenaltyControl::Adapt(double Penalties::*kind) {
  const double share = kept_.*kind / options_.window;
  double& penalty = penalties_.*kind;
  if (share < kTarget - options_.tolerance) penalty *= kRaise;
  if (share > kTarget + options_.tolerance) penalty *= kLower;
  penalty = std::clamp(penalty, first_.*kind * kLowest, first_.*kind * kHighest);
}

}  // namespace vrp
