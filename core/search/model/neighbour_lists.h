// Which customers are worth trying beside which.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

class Problem;

struct NeighbourLists {
  int32_t length = 0;
  std::vector<NodeIndex> near;     // [N, length] by distance; depots have rows too
  std::vector<NodeIndex> related;  // [N, length] by distance and windows; empty: as near

  std::span<const NodeIndex> Near(NodeIndex node) const { return Row(near, node); }
  std::span<const NodeIndex> Related(NodeIndex node) const {
    return Row(related.empty() ? near : related, node);
  }

 private:
  std::span<const NodeIndex> Row(const std::vector<NodeIndex>& lists, NodeIndex node) const {
    if (lists.empty()) return {};
    return {lists.data() + int64_t{node} * length, static_cast<size_t>(length)};
  }
};

// The candidates for the list of one node, in arrays of [count].
struct NeighbourCandidates {
  std::vector<NodeIndex> nodes;
  std::vector<double> open, close, service;
  const double* there = nullptr;  // distances to them
  const double* back = nullptr;   // distances from them; may be `there`
  const double* time_there = nullptr;
  const double* time_back = nullptr;

  int64_t count() const { return std::ssize(nodes); }
};

// Sets value[k] to the proximity of the k-th candidate to a node with this window and service:
// distance, waiting and lateness in the better order of both (Vidal et al. 2013, "A hybrid genetic
// algorithm with adaptive diversity management"). Waiting and lateness without windows are 0.
void RateProximity(const TimeWindow& window, double service, const NeighbourCandidates& candidates,
                   std::span<double> value);

// How long lists are made in haste, and the share of the time that lists, those made in haste among
// them, may take: a first plan has to follow.
inline constexpr int32_t kHastyLength = 12;
inline constexpr double kListsShare = 0.4;
inline constexpr double kHastyShare = 0.7;

// Returns the `length` best other customers of each node by the ways of the first vehicle;
// kHastyLength where all would foreseeably take more than their share of the time. Customers that
// no vehicle may serve both come last; those of which one is late if a vehicle waits for the
// other's release come later by that time. O(N log N) by a k-d tree where there is no matrix,
// O(N^2) from a matrix. Empty when `stop` came to hold or foreseeably would before it was done, or
// length < 1.
NeighbourLists BuildNeighbourLists(const Problem& problem, int32_t length,
                                   const StopCondition& stop);

// Makes lists follow a policy's judgement: puts the likely neighbours of each node first in
// `lists.related`, the likeliest first; as many of the last ones drop out as were not listed. How
// often two customers are adjacent in `samples`, plans that a policy drew, is the chance it gives
// to that edge. Leaves out what is no node from `first` on.
void GuideLists(std::span<const Plan> samples, NodeIndex first, NeighbourLists& lists);

}  // namespace vrp
