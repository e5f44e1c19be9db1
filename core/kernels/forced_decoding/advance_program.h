// One step of a trajectory whose choices a network makes, as a program for a group of threads that
// are also lanes (group.h). The program applies the network's last choice and writes the network's
// next observation. Each step is a launch, because the network runs between two steps.
#pragma once

#include "core/kernels/forced_decoding/forced_decoding_program.h"
#include "core/kernels/routing/step_observation.h"
#include "core/kernels/routing/step_random.h"

namespace vrp {

// Inputs of a step of B instances with P trajectories each.
struct AdvanceRequest {
  ObservationLayout layout;
  int32_t instances = 0;             // B
  int32_t trajectories = 1;          // P
  bool distinct_starts = false;      // whether first choices are given, as in RolloutRequest
  int32_t step = 0;                  // t; trajectories begin at 0
  const StepRules* rules = nullptr;  // [B]; their problems refer to memory of the same device
  const int64_t* choices = nullptr;  // [B, P] of step t - 1; forbidden choices have no effect
  // [B, P] of TrajectoryScratchBytes each, preserved between steps.
  uint8_t* trajectory_scratch = nullptr;
  // Key of a sampled choice's uniform number, FirstUniform of StepBlock.
  uint64_t seed = 1;
  uint64_t stream = 0;
  const int64_t* steps = nullptr;  // if set, the stream is `stream` + *steps
  int64_t first_trajectory = 0;

  int64_t rows() const { return int64_t{instances} * trajectories; }
};

// Outputs, [B, P]. WriteIdleObservation gives the observations of trajectories that do not move.
template <typename T>
struct AdvanceResult {
  ObservationColumns<T> steps;
  uint8_t* moving = nullptr;      // 1: the network must choose
  TrajectoryEnd* ends = nullptr;  // of trajectories that do not move: kDone, kUnreachable
  double* costs = nullptr;        // of the steps so far: sums of distances, see MetricSum
  int64_t* given = nullptr;       // a choice fixed in advance; -1: none
  double* uniforms = nullptr;     // for the network's draw
};

// Advances trajectory `row`, which is b * P + p.
template <typename Group, typename T>
VRP_DEVICE void Advance(const Group& group, const AdvanceRequest& request, int64_t row,
                        const AdvanceResult<T>& to) {
  const StepRules& rules = request.rules[row / request.trajectories];
  const int32_t nodes = rules.problem.nodes;
  uint8_t* const scratch =
      request.trajectory_scratch + row * TrajectoryScratchBytes(request.layout);
  RouteState& state = *reinterpret_cast<RouteState*>(scratch);
  uint8_t* const visited = scratch + sizeof(RouteState);
  group.Once([&] {
    if (request.step == 0) {
      state = BeginTrajectory(rules, visited);
      return;
    }
    const auto node = static_cast<int32_t>(request.choices[row]);
    const bool takes = !IsDone(state) && node >= 0 && node < nodes;
    if (takes && IsAllowed(rules, state, visited, node)) Take(rules, node, state, visited);
  });
  const auto allowed = [&](int32_t n) { return IsAllowed(rules, state, visited, n); };
  const bool moving = !IsDone(state) && group.First(nodes, allowed) < nodes;
  const ObservationColumns<T> columns = to.steps.At(row, request.layout);
  const bool pointer = request.layout.kind == ObservationKind::kPointer;
  const double scale = pointer ? PointerScaleBy(group, rules.problem) : 1;
  const TrajectoryView view = {rules, state, visited, scale};
  if (moving) {
    WriteObservation(group, request.layout, view, columns);
  } else {
    WriteIdleObservation(group, request.layout, columns);
  }
  group.Once([&] {
    const StepKey key = {request.seed, StreamOfStep(request.stream, request.steps),
                         request.first_trajectory + row, request.step};
    const bool starts = moving && request.distinct_starts && request.step == 0;
    const auto p = static_cast<int32_t>(row % request.trajectories);
    to.moving[row] = moving ? 1 : 0;
    to.ends[row] = IsDone(state) ? TrajectoryEnd::kDone : TrajectoryEnd::kUnreachable;
    to.costs[row] = state.cost;
    to.given[row] = starts ? AllowedNode(rules, state, visited, p) : -1;
    to.uniforms[row] = FirstUniform(StepBlock(key));
  });
}

}  // namespace vrp
