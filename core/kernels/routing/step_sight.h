// What a network in plain operators reads at a step of a trajectory: columns of one device's
// memory, a row a step.
#pragma once

#include <cstdint>

#include "core/kernels/routing/pointer_observation.h"
#include "core/kernels/routing/routing_step.h"
#include "core/kernels/support/group.h"

namespace vrp {

// Which shares and features of nodes it reads: kShares those of WriteShares and no features,
// kPointer the pointer network's.
enum class StepReader : int32_t { kShares, kPointer };
constexpr int32_t SharesOf(StepReader reader) {
  return reader == StepReader::kPointer ? kPointerContext : kContextShares;
}
constexpr int32_t FeaturesOf(StepReader reader) {
  return reader == StepReader::kPointer ? kPointerDynamic : 0;
}

struct StepLayout {
  StepReader reader = StepReader::kShares;
  int32_t nodes = 0;  // N, of the largest instance
};

// Those of row 0, or of a row where a function has one.
template <typename T>
struct StepColumns {
  int64_t* current = nullptr;    // where the vehicle is
  int64_t* first = nullptr;      // where a TSP's tour began
  uint8_t* begins = nullptr;     // 1: a TSP's tour has no node yet
  T* shares = nullptr;           // [SharesOf]
  uint8_t* forbidden = nullptr;  // [N]
  T* features = nullptr;         // [N, FeaturesOf]

  VRP_DEVICE StepColumns At(int64_t row, const StepLayout& layout) const {
    const int64_t nodes = row * layout.nodes;
    return {current + row,     first + row,
            begins + row,      shares + row * SharesOf(layout.reader),
            forbidden + nodes, features + nodes * FeaturesOf(layout.reader)};
  }
};

// A trajectory as a network may look at it.
struct Sight {
  const StepRules& rules;
  const RouteState& state;
  const uint8_t* visited;  // [nodes]
  double scale;            // of the pointer network: PointerScale
};

// Of a node of the instance.
template <typename T>
constexpr void WritePointerFeatures(const Sight& sight, int32_t node, T* features) {
  const RoutingProblem& problem = sight.rules.problem;
  PointerTimes times;
  if (problem.window_opens != nullptr) times = PointerTimesAt(sight.rules, sight.state, node);
  features[0] = PointerVisited<T>(problem, sight.visited, node);
  features[1] = static_cast<T>(PointerDistance(problem, sight.scale, sight.state.current, node));
  features[2] = static_cast<T>(PointerDistance(problem, sight.scale, node, 0));
  features[3] = static_cast<T>(times.wait);
  features[4] = static_cast<T>(times.slack);
}

// Nodes that the instance does not have are forbidden, their features 0.
template <typename Group, typename T>
VRP_DEVICE void WriteStep(const Group& group, const StepLayout& layout, const Sight& sight,
                          const StepColumns<T>& to) {
  const bool pointer = layout.reader == StepReader::kPointer;
  const int32_t features = FeaturesOf(layout.reader);
  group.Each(layout.nodes, [&](int32_t n) {
    const bool there = n < sight.rules.problem.nodes;
    to.forbidden[n] =
        there && IsAllowed(sight.rules, sight.state, sight.visited, n) ? uint8_t{0} : uint8_t{1};
    T* const row = to.features + n * features;
    for (int32_t i = 0; !there && i < features; ++i) row[i] = 0;
    if (pointer && there) WritePointerFeatures(sight, n, row);
  });
  group.Once([&] {
    *to.current = sight.state.current;
    *to.first = sight.state.first > 0 ? sight.state.first : 0;
    *to.begins = sight.rules.problem.tsp && sight.state.first < 0 ? 1 : 0;
    if (pointer) {
      WritePointerContext(sight.rules, sight.state, to.shares);
    } else {
      WriteShares(sight.rules, sight.state, to.shares);
    }
  });
}

// Of a trajectory that is done, or of none: it waits at node 0, which alone is allowed.
template <typename Group, typename T>
VRP_DEVICE void WriteWait(const Group& group, const StepLayout& layout, const StepColumns<T>& to) {
  group.Each(layout.nodes, [&](int32_t n) { to.forbidden[n] = n == 0 ? 0 : 1; });
  group.Each(layout.nodes * FeaturesOf(layout.reader), [&](int32_t i) { to.features[i] = 0; });
  group.Each(SharesOf(layout.reader), [&](int32_t i) { to.shares[i] = 0; });
  group.Once([&] { *to.current = *to.first = *to.begins = 0; });
}

}  // namespace vrp
