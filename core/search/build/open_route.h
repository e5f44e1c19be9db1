// A vehicle under way in a plain problem.
#pragma once

#include "core/search/model/problem.h"

namespace vrp {

struct OpenRoute {
  explicit OpenRoute(const Problem& plain)
      : problem(&plain), departure(plain.DepartureAfter(0, plain.open(0))) {}

  double ArrivalAt(NodeIndex node) const { return departure + problem->Duration(last, node); }
  bool Fits(NodeIndex node) const {
    if (!problem->Fits(load + problem->demand(node))) return false;
    if (!problem->timed()) return true;
    const double arrival = ArrivalAt(node);
    const double back = problem->DepartureAfter(node, arrival) + problem->Duration(node, 0);
    return problem->InTime(arrival, problem->close(node)) &&
           problem->InTime(back, problem->close(0));
  }
  void Append(NodeIndex node) {
    departure = problem->DepartureAfter(node, ArrivalAt(node));
    load += problem->demand(node);
    last = node;
  }

  const Problem* problem;
  NodeIndex last = 0;
  double departure;
  double load = 0;
};

}  // namespace vrp
