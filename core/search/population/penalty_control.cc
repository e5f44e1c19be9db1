#include "core/search/population/penalty_control.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

constexpr double kTarget = 0.3;
constexpr double kTolerance = 0.05;
constexpr int kWindow = 50;
constexpr double kRaise = 1.2;
constexpr double kLower = 0.85;
constexpr double kRepair = 10;
// The prices stay within these multiples of the first ones.
constexpr double kLowest = 1e-2;
constexpr double kHighest = 1e4;

double Adapted(double price, int feasible, double lowest, double highest) {
  const double share = static_cast<double>(feasible) / kWindow;
  if (share < kTarget - kTolerance) price *= kRaise;
  if (share > kTarget + kTolerance) price *= kLower;
  return std::clamp(price, lowest, highest);
}

}  // namespace

PenaltyControl::PenaltyControl(const SearchProblem& problem) {
  double farthest = 0;
  double demand = 0;
  double distance = 0;
  double duration = 0;
  for (NodeIndex node = 1; node < problem.size(); ++node) {
    farthest = std::max(farthest, problem.Distance(0, node));
    demand = std::max(demand, problem.demand(node));
    distance += problem.Distance(0, node);
    duration += problem.Duration(0, node);
  }
  penalties_.load = demand > 0 ? farthest / demand : 1;
  penalties_.warp = duration > 0 && distance > 0 ? distance / duration : 1;
  lowest_ = {penalties_.load * kLowest, penalties_.warp * kLowest};
  highest_ = {penalties_.load * kHighest, penalties_.warp * kHighest};
}

Penalties PenaltyControl::Repairing() const {
  return {.load = penalties_.load * kRepair, .warp = penalties_.warp * kRepair};
}

bool PenaltyControl::Record(bool load_feasible, bool time_feasible) {
  ++descents_;
  load_feasible_ += load_feasible;
  time_feasible_ += time_feasible;
  if (descents_ < kWindow) return false;
  penalties_.load = Adapted(penalties_.load, load_feasible_, lowest_.load, highest_.load);
  penalties_.warp = Adapted(penalties_.warp, time_feasible_, lowest_.warp, highest_.warp);
  descents_ = load_feasible_ = time_feasible_ = 0;
  return true;
}

}  // namespace vrp
