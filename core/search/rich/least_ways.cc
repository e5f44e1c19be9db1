#include "core/search/rich/least_ways.h"

#include <algorithm>

namespace vrp {

LeastWays::LeastWays(const RichProblem& problem, const RichVehicle& vehicle, NodeIndex target,
                     double latest)
    : problem_(problem), vehicle_(vehicle), target_(target), rest_(problem.size() + 1) {
  rest_[target] = {.distance = 0, .duration = 0, .latest = latest};
  Settle([&](const Rest& a, const Rest& b) { return a.distance < b.distance; },
         [&](NodeIndex from, NodeIndex to) {
           const double distance = problem_.Distance(vehicle_, from, to) + rest_[to].distance;
           rest_[from].distance = std::min(rest_[from].distance, distance);
         });
  Settle([&](const Rest& a, const Rest& b) { return a.duration < b.duration; },
         [&](NodeIndex from, NodeIndex to) {
           const double duration =
               Worked(from) + problem_.Duration(vehicle_, from, to) + rest_[to].duration;
           rest_[from].duration = std::min(rest_[from].duration, duration);
         });
  Settle([&](const Rest& a, const Rest& b) { return a.latest > b.latest; },
         [&](NodeIndex from, NodeIndex to) {
           const double leave = rest_[to].latest - problem_.Duration(vehicle_, from, to);
           const double start = problem_.Latest(from, leave - Worked(from));
           rest_[from].latest = std::max(rest_[from].latest, start);
         });
}

double LeastWays::Worked(NodeIndex node) const {
  return problem_.is_depot(node) ? 0 : problem_.Service(node);
}

template <typename Before, typename Relax>
void LeastWays::Settle(Before before, Relax relax) {
  std::vector<char> settled(rest_.size(), 0);
  NodeIndex next = target_;
  while (true) {
    settled[next] = 1;
    const bool passes = next == target_ || !problem_.is_depot(next);
    for (NodeIndex from = 0; passes && from < problem_.size(); ++from) {
      if (!settled[from]) relax(from, next);
    }
    const NodeIndex last = next;
    for (NodeIndex node = 0; node < problem_.size(); ++node) {
      if (!settled[node] && (next == last || before(rest_[node], rest_[next]))) next = node;
    }
    if (next == last) return;
  }
}

}  // namespace vrp
