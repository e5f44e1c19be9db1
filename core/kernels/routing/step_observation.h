// The observation of a network that runs in torch's operators. Its columns are in one device's
// memory, with a row per step of a trajectory.
#pragma once

#include <cstdint>

#include "core/kernels/routing/pointer_observation.h"
#include "core/kernels/routing/routing_step.h"
#include "core/kernels/support/group.h"

namespace vrp {

// The shares and node features that a network reads. With kShares, it reads the shares of
// WriteShares and no features. With kPointer, it reads those of pointer_observation.h.
enum class ObservationKind : int32_t { kShares, kPointer };
constexpr int32_t ObservedShares(ObservationKind kind) {
  return kind == ObservationKind::kPointer ? kPointerContext : kContextShares;
}
constexpr int32_t ObservedFeatures(ObservationKind kind) {
  return kind == ObservationKind::kPointer ? kPointerDynamic : 0;
}

// The kind and the number of nodes of an observation, which give the widths of its columns.
struct ObservationLayout {
  ObservationKind kind = ObservationKind::kShares;
  int32_t nodes = 0;  // N, of the largest instance
};

// Pointers to row 0, or to the row given by At().
template <typename T>
struct ObservationColumns {
  int64_t* current = nullptr;    // the vehicle's node
  int64_t* first = nullptr;      // a TSP's first node; 0 without one
  uint8_t* begins = nullptr;     // 1: a TSP's tour is empty
  T* shares = nullptr;           // [ObservedShares]
  uint8_t* forbidden = nullptr;  // [N]
  T* features = nullptr;         // [N, ObservedFeatures]

  VRP_DEVICE ObservationColumns At(int64_t row, const ObservationLayout& layout) const {
    const int64_t nodes = row * layout.nodes;
    return {current + row,     first + row,
            begins + row,      shares + row * ObservedShares(layout.kind),
            forbidden + nodes, features + nodes * ObservedFeatures(layout.kind)};
  }
};

// The parts of a trajectory from which an observation is computed.
struct TrajectoryView {
  const StepRules& rules;
  const RouteState& state;
  const uint8_t* visited;  // [nodes]
  double scale;            // PointerScale, for kPointer
};

// Writes the features of a node of the instance that kPointer reads.
template <typename T>
constexpr void WritePointerFeatures(const TrajectoryView& view, int32_t node, T* features) {
  const RoutingProblem& problem = view.rules.problem;
  PointerTimes times;
  if (problem.window_opens != nullptr) times = PointerTimesAt(view.rules, view.state, node);
  features[0] = PointerVisited<T>(problem, view.visited, node);
  features[1] = static_cast<T>(PointerDistance(problem, view.scale, view.state.current, node));
  features[2] = static_cast<T>(PointerDistance(problem, view.scale, node, 0));
  features[3] = static_cast<T>(times.wait);
  features[4] = static_cast<T>(times.slack);
}

// Writes the observation. Padding nodes are forbidden and have features of 0.
template <typename Group, typename T>
VRP_DEVICE void WriteObservation(const Group& group, const ObservationLayout& layout,
                                 const TrajectoryView& view, const ObservationColumns<T>& to) {
  const bool pointer = layout.kind == ObservationKind::kPointer;
  const int32_t features = ObservedFeatures(layout.kind);
  group.Each(layout.nodes, [&](int32_t n) {
    const bool exists = n < view.rules.problem.nodes;
    to.forbidden[n] =
        exists && IsAllowed(view.rules, view.state, view.visited, n) ? uint8_t{0} : uint8_t{1};
    T* const row = to.features + n * features;
    for (int32_t i = 0; !exists && i < features; ++i) row[i] = 0;
    if (pointer && exists) WritePointerFeatures(view, n, row);
  });
  group.Once([&] {
    *to.current = view.state.current;
    *to.first = view.state.first > 0 ? view.state.first : 0;
    *to.begins = view.rules.problem.tsp && view.state.first < 0 ? 1 : 0;
    if (pointer) {
      WritePointerContext(view.rules, view.state, to.shares);
    } else {
      WriteShares(view.rules, view.state, to.shares);
    }
  });
}

// Writes the observation of a finished or missing trajectory, which is at node 0 and may only stay
// there.
template <typename Group, typename T>
VRP_DEVICE void WriteIdleObservation(const Group& group, const ObservationLayout& layout,
                                     const ObservationColumns<T>& to) {
  group.Each(layout.nodes, [&](int32_t n) { to.forbidden[n] = n == 0 ? 0 : 1; });
  group.Each(layout.nodes * ObservedFeatures(layout.kind), [&](int32_t i) { to.features[i] = 0; });
  group.Each(ObservedShares(layout.kind), [&](int32_t i) { to.shares[i] = 0; });
  group.Once([&] { *to.current = *to.first = *to.begins = 0; });
}

}  // namespace vrp
