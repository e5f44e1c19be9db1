// One plan in the making: which node comes next may be chosen among those that keep it feasible.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/network_input.h"
#include "core/problem/solution.h"

namespace vrp {

// What the pointer sees of each node at a step, besides the encoded static features: is_visited,
// and as seen from where the vehicle is: the distance to the node, the distance from it to the
// depot, the wait before it opens and the slack before it closes (shares of the horizon; 0 without
// times).
inline constexpr int32_t kDynamicFeatures = 5;
inline constexpr int32_t kVisitedFeature = 0;
// What the decoder reads at a step besides the node where the vehicle is: the load left and the
// time gone (shares of capacity and horizon), and the share of customers that are still to be
// visited.
inline constexpr int32_t kContextFeatures = 3;

// Where a step's observation goes. Rows of one batch; nodes beyond the instance's are left alone.
struct Observation {
  std::span<uint8_t> forbidden;  // [N]; 1: the node must not come next
  std::span<float> dynamic;      // [N, kDynamicFeatures]
  std::span<float> context;      // [kContextFeatures]
};

// Loads, times and limits are kept in double, in the instance's own units. Copyable (beams).
class RoutingState {
 public:
  explicit RoutingState(const NetworkInput* input);  // outlives the state

  // Every customer visited; the way back to the depot is counted already.
  bool done() const { return left_ == 0; }
  int32_t current() const { return current_; }  // node of the network; 0: at the depot
  // In the instance's unit, of what was travelled so far.
  double distance() const { return distance_; }

  // Writes what the network may know and do next. When done only the depot is allowed. False: at
  // the depot, and none of the customers left can be served from there.
  bool Observe(const Observation& to) const;
  // Goes to `node`, which must be allowed.
  void Take(int32_t node);

  // The routes so far, in the instance's node numbers.
  Plan MakePlan() const;
  // The first customer that is not visited, as the instance's node; -1: none.
  NodeIndex FirstUnvisited() const;

 private:
  struct Arrival {
    double at = 0;
    double leave = 0;  // after service
    double route_start = 0;
  };

  Arrival ArrivalAt(int32_t node) const;
  bool Allowed(int32_t node) const;
  bool InTime(int32_t node) const;
  void WriteDynamic(int32_t node, std::span<float> to) const;

  const NetworkInput* input_;
  std::vector<uint8_t> visited_;  // [N]
  std::vector<int32_t> visits_;   // in order; 0: back at the depot
  int32_t current_ = 0;
  int32_t left_ = 0;
  double load_ = 0;
  double time_ = 0;         // when the vehicle can leave current_
  double route_start_ = 0;  // when it left the depot
  double distance_ = 0;
};

// Longest sequence of choices for `nodes` nodes: every customer by itself.
int32_t MaxSteps(int32_t nodes);

// The choices that lead to `plan` (complete and feasible), in a canonical form, so that equal plans
// give equal sequences: the routes by their first node in the network's order; without windows each
// runs towards the higher of its end nodes.
std::vector<int32_t> PlanToChoices(const NetworkInput& input, const Plan& plan);

}  // namespace vrp
