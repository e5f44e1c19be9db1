#include "core/search/model/shortest_paths.h"

#include <algorithm>

namespace vrp {

ShortestPaths::ShortestPaths(const Problem& problem, const Vehicle& vehicle, bool forward,
                             NodeIndex first, double time, const StopCondition& stop)
    : bounds_(problem.size() + 1, {.time = forward ? Problem::kNever : -Problem::kNever}) {
  constexpr int32_t kSettledPerPoll = 16;
  bounds_[first] = {.distance = 0, .duration = 0, .time = time};
  // Settles nodes in the order of before(bound, bound). Calls relax(bound of another, bound of the
  // settled node, from, to) for the ways between both. Returns whether `stop` never held.
  const auto settle_all = [&](auto before, auto relax) {
    std::vector<char> settled(bounds_.size(), 0);
    NodeIndex next = first;
    for (int32_t step = 1;; ++step) {
      if (step % kSettledPerPoll == 0 && stop.ShouldStop()) return false;
      settled[next] = 1;
      const bool passes = next == first || !problem.is_depot(next);
      for (NodeIndex other = 0; passes && other < problem.size(); ++other) {
        if (settled[other]) continue;
        relax(bounds_[other], bounds_[next], forward ? next : other, forward ? other : next);
      }
      const NodeIndex last = next;
      for (NodeIndex node = 0; node < problem.size(); ++node) {
        if (!settled[node] && (next == last || before(bounds_[node], bounds_[next]))) next = node;
      }
      if (next == last) return true;
    }
  };
  const auto shorten = [&](Bound& other, const Bound& settled, NodeIndex from, NodeIndex to) {
    const double distance = settled.distance + problem.Distance(vehicle, from, to);
    other.distance = std::min(other.distance, distance);
  };
  const auto quicken = [&](Bound& other, const Bound& settled, NodeIndex from, NodeIndex to) {
    const double service = problem.service(from);
    const double travel = problem.Duration(vehicle, from, to);
    const double duration = forward ? settled.duration + service + travel  // sums as routes have
                                    : service + travel + settled.duration;
    other.duration = std::min(other.duration, duration);
  };
  const auto shift = [&](Bound& other, const Bound& settled, NodeIndex from, NodeIndex to) {
    const double service = problem.service(from);
    const double travel = problem.Duration(vehicle, from, to);
    other.time = forward
                     ? std::min(other.time, problem.Earliest(to, settled.time + service + travel))
                     : std::max(other.time, problem.Latest(from, settled.time - travel - service));
  };
  complete_ =
      settle_all([](const Bound& a, const Bound& b) { return a.distance < b.distance; }, shorten) &&
      settle_all([](const Bound& a, const Bound& b) { return a.duration < b.duration; }, quicken) &&
      settle_all([=](const Bound& a,
                     const Bound& b) { return forward ? a.time < b.time : a.time > b.time; },
                 shift);
}

}  // namespace vrp
