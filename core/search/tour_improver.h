// Local search on one tour.
#pragma once

#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/search/search_problem.h"
#include "core/search/tour.h"

namespace vrp {

// 2-opt and Or-opt (paths of up to three nodes) among near neighbours. Not thread-safe; `problem`,
// a tour_only one, and `tour` must outlive it.
class TourImprover {
 public:
  TourImprover(const SearchProblem& problem, Tour& tour);

  // Marks `node` as worth a look.
  void Push(NodeIndex node);
  // Works off the queue; leaves it early when `stop` holds. Returns the change of length (<= 0).
  double Run(const StopCondition& stop);
  // Exchanges the two paths that follow `before`: the first ends at `first_end`, the second at
  // `second_end`. Pushes the nodes at the cuts. Returns the change of length.
  double SwapPaths(NodeIndex before, NodeIndex first_end, NodeIndex second_end);

 private:
  double Improve(NodeIndex node);
  double TryTwoOpt(NodeIndex node, bool forward);
  double TryMove(NodeIndex node, bool forward);
  void MovePath(NodeIndex node, NodeIndex end, NodeIndex beside, NodeIndex other);
  double Length(NodeIndex a, NodeIndex b) const { return problem_.Distance(a, b); }
  NodeIndex Step(NodeIndex node, bool forward) const {
    return forward ? tour_.Next(node) : tour_.Previous(node);
  }
  // Turns the path from `first` to `last` that follows `before`, whichever way the array now runs.
  void ReverseAfter(NodeIndex before, NodeIndex first, NodeIndex last);

  const SearchProblem& problem_;
  Tour& tour_;
  std::vector<NodeIndex> queue_;
  std::vector<char> queued_;
};

}  // namespace vrp
