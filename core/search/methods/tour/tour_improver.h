// Local search on one tour.
#pragma once

#include <array>
#include <vector>

#include "core/base/stop.h"
#include "core/search/methods/tour/tour.h"
#include "core/search/model/problem.h"

namespace vrp {

// Exchanges of two and of three edges: the first levels of Lin and Kernighan 1973, over neighbour
// lists with a work queue (Bentley 1992). Not thread-safe; `problem`, a tour_only one, and `tour`
// must outlive it.
class TourImprover {
 public:
  TourImprover(const Problem& problem, Tour& tour);

  // Queues `node`: edges at it may have become worth replacing.
  void Push(NodeIndex node);
  // Works off the queue. Empties it early when `stop` holds, or when the improvements have made up
  // for `added`, the length that a perturbation added: the tour is then most likely the one before
  // the perturbation. Returns the change of length (<= 0).
  double Run(double added, const StopCondition& stop);

 private:
  // A step of a move: adds the edge to `node`, then removes `edge` from `node` to `end`.
  struct Step {
    double gain;  // removed minus added length, with this step
    RemovedEdge edge;
    NodeIndex node;
    NodeIndex end;
  };

  double Improve(NodeIndex node);
  // Tries to continue the move from its last step, and makes it if it pays. Returns its gain, or 0.
  double Extend();
  // Makes the move with `step` as its last if that gains and gives a tour. Returns its gain, or 0.
  double Close(const Step& step);
  // Calls `try_step` with each step that can follow the move until it returns a gain. Returns it.
  template <typename TryFn>
  double ForEachStep(TryFn try_step);
  Step MakeStep(double gain, NodeIndex node, bool forward) const;
  bool Removes(int32_t position) const;

  const Problem& problem_;
  Tour& tour_;
  std::vector<double> near_length_;  // [N, neighbours]: distances to problem_.Near
  std::array<Step, Tour::kMostRemoved> move_;
  int32_t steps_ = 0;  // of the move
  std::vector<NodeIndex> queue_;
  std::vector<char> queued_;
};

}  // namespace vrp
