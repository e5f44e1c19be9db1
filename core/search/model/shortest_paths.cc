#include "core/search/model/shortest_paths.h"

#include <algorithm>

namespace vrp {
namespace {

constexpr int32_t kSettledPerPoll = 16;

// Calls `relax(other, settled)` for all nodes `other` that are not settled, once for each settled
// node, in the order in which `before(a, b)` settles nodes. Returns whether `stop` never held.
template <typename Bound, typename Before, typename Relax>
bool SettleAll(const Problem& problem, NodeIndex first, const std::vector<Bound>& bounds,
               const StopCondition& stop, Before before, Relax relax) {
  std::vector<char> settled(bounds.size(), 0);
  NodeIndex next = first;
  for (int32_t step = 1;; ++step) {
    if (step % kSettledPerPoll == 0 && stop.ShouldStop()) return false;
    settled[next] = 1;
    const bool passes = next == first || !problem.is_depot(next);
    for (NodeIndex other = 0; passes && other < problem.size(); ++other) {
      if (!settled[other]) relax(other, next);
    }
    const NodeIndex last = next;
    for (NodeIndex node = 0; node < problem.size(); ++node) {
      if (!settled[node] && (next == last || before(bounds[node], bounds[next]))) next = node;
    }
    if (next == last) return true;
  }
}

bool IsShorter(const auto& a, const auto& b) { return a.distance < b.distance; }
bool IsQuicker(const auto& a, const auto& b) { return a.duration < b.duration; }

}  // namespace

ShortestPaths::ShortestPaths(const Problem& problem, const Vehicle& vehicle, NodeIndex target,
                             double latest, const StopCondition& stop)
    : bounds_(problem.size() + 1) {
  bounds_[target] = {.distance = 0, .duration = 0, .latest = latest};
  const auto shorten = [&](NodeIndex from, NodeIndex to) {
    const double distance = problem.Distance(vehicle, from, to) + bounds_[to].distance;
    bounds_[from].distance = std::min(bounds_[from].distance, distance);
  };
  const auto quicken = [&](NodeIndex from, NodeIndex to) {
    const double duration =
        problem.service(from) + problem.Duration(vehicle, from, to) + bounds_[to].duration;
    bounds_[from].duration = std::min(bounds_[from].duration, duration);
  };
  const auto postpone = [&](NodeIndex from, NodeIndex to) {
    const double leave = bounds_[to].latest - problem.Duration(vehicle, from, to);
    const double start = problem.Latest(from, leave - problem.service(from));
    bounds_[from].latest = std::max(bounds_[from].latest, start);
  };
  const auto is_later = [](const Bound& a, const Bound& b) { return a.latest > b.latest; };
  complete_ = SettleAll(problem, target, bounds_, stop, IsShorter<Bound, Bound>, shorten) &&
              SettleAll(problem, target, bounds_, stop, IsQuicker<Bound, Bound>, quicken) &&
              SettleAll(problem, target, bounds_, stop, is_later, postpone);
}

PathsFromStart::PathsFromStart(const Problem& problem, const Vehicle& vehicle,
                               const StopCondition& stop)
    : bounds_(problem.size()) {
  bounds_[vehicle.start] = {.distance = 0, .duration = 0, .earliest = vehicle.leaves_from};
  const auto shorten = [&](NodeIndex to, NodeIndex from) {
    const double distance = bounds_[from].distance + problem.Distance(vehicle, from, to);
    bounds_[to].distance = std::min(bounds_[to].distance, distance);
  };
  const auto quicken = [&](NodeIndex to, NodeIndex from) {
    const double duration =
        bounds_[from].duration + problem.service(from) + problem.Duration(vehicle, from, to);
    bounds_[to].duration = std::min(bounds_[to].duration, duration);
  };
  const auto hasten = [&](NodeIndex to, NodeIndex from) {
    const double leave = bounds_[from].earliest + problem.service(from);
    const double start = problem.Earliest(to, leave + problem.Duration(vehicle, from, to));
    bounds_[to].earliest = std::min(bounds_[to].earliest, start);
  };
  const auto is_sooner = [](const Bound& a, const Bound& b) { return a.earliest < b.earliest; };
  complete_ = SettleAll(problem, vehicle.start, bounds_, stop, IsShorter<Bound, Bound>, shorten) &&
              SettleAll(problem, vehicle.start, bounds_, stop, IsQuicker<Bound, Bound>, quicken) &&
              SettleAll(problem, vehicle.start, bounds_, stop, is_sooner, hasten);
}

}  // namespace vrp
