// Forced decoding of a trajectory as a program for a group of threads that are also lanes
// (group.h). The program applies the given choices by the routing rules and writes a network's
// observation of every step.
#pragma once

#include "core/kernels/routing/step_observation.h"
#include "core/kernels/routing/step_random.h"

namespace vrp {

// Inputs for B instances with P trajectories each and at most T steps.
struct ForcedDecodingRequest {
  ObservationLayout layout;
  int32_t instances = 0;  // B
  int32_t trajectories = 1;
  int32_t max_steps = 0;             // T
  const StepRules* rules = nullptr;  // [B]; their problems refer to memory of the same device
  const int32_t* choices = nullptr;  // [B, P, T], -1 after the end
  // [B, P] of TrajectoryScratchBytes each, aligned as a double.
  uint8_t* trajectory_scratch = nullptr;
  // Key of each step's additional uniform number, SecondUniform of StepBlock.
  uint64_t seed = 1;
  uint64_t stream = 0;
  const int64_t* steps = nullptr;  // if set, the stream is `stream` + *steps
  int64_t first_trajectory = 0;

  int64_t rows() const { return int64_t{instances} * trajectories; }
};

// Outputs, [B, P, T] and [B, P]. WriteIdleObservation gives the observations after a trajectory's
// end.
template <typename T>
struct ForcedDecodingResult {
  ObservationColumns<T> steps;
  double* uniforms = nullptr;     // [B, P, T]: uniform numbers
  int32_t* lengths = nullptr;     // steps taken
  double* costs = nullptr;        // sums of distances, see MetricSum
  TrajectoryEnd* ends = nullptr;  // kForbidden: the next choice is missing or not allowed
};

// Returns the size of a trajectory's scratch: its state and its marks of visited nodes.
constexpr int64_t TrajectoryScratchBytes(const ObservationLayout& layout) {
  const auto state = static_cast<int64_t>(sizeof(RouteState));
  return state + (int64_t{layout.nodes} + 7) / 8 * 8;
}

// Writes the uniform numbers of a trajectory's steps.
template <typename Group, typename T>
VRP_DEVICE void DrawSteps(const Group& group, const ForcedDecodingRequest& request, int64_t row,
                          const ForcedDecodingResult<T>& to) {
  const uint64_t stream = StreamOfStep(request.stream, request.steps);
  const int64_t trajectory = request.first_trajectory + row;
  group.Each(request.max_steps, [&](int32_t t) {
    to.uniforms[row * request.max_steps + t] =
        SecondUniform(StepBlock({request.seed, stream, trajectory, t}));
  });
}

// Decodes trajectory `row`, which is b * P + p.
template <typename Group, typename T>
VRP_DEVICE void ForceDecode(const Group& group, const ForcedDecodingRequest& request, int64_t row,
                            const ForcedDecodingResult<T>& to) {
  const StepRules& rules = request.rules[row / request.trajectories];
  uint8_t* const scratch =
      request.trajectory_scratch + row * TrajectoryScratchBytes(request.layout);
  RouteState& state = *reinterpret_cast<RouteState*>(scratch);
  uint8_t* const visited = scratch + sizeof(RouteState);
  const bool pointer = request.layout.kind == ObservationKind::kPointer;
  const double scale = pointer ? PointerScaleBy(group, rules.problem) : 1;
  const TrajectoryView view = {rules, state, visited, scale};
  const int64_t first = row * request.max_steps;
  group.Once([&] { state = BeginTrajectory(rules, visited); });
  TrajectoryEnd end = TrajectoryEnd::kDone;
  int32_t t = 0;
  for (; !IsDone(state); ++t) {
    const int32_t node = t < request.max_steps ? request.choices[first + t] : -1;
    if (node < 0 || node >= rules.problem.nodes || !IsAllowed(rules, state, visited, node)) {
      end = TrajectoryEnd::kForbidden;
      break;
    }
    WriteObservation(group, request.layout, view, to.steps.At(first + t, request.layout));
    group.Once([&] { Take(rules, node, state, visited); });
  }
  group.Once([&] {
    to.lengths[row] = t;
    to.costs[row] = state.cost;
    to.ends[row] = end;
  });
  for (; t < request.max_steps; ++t) {
    WriteIdleObservation(group, request.layout, to.steps.At(first + t, request.layout));
  }
  DrawSteps(group, request, row, to);
}

}  // namespace vrp
