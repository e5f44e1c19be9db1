// Draws instances on the device that uses them, one per group of threads (group.h). The results
// equal those of GenerateInstanceData and MakeNetworkBatch bit for bit, so the compiler must not
// fuse multiplications and additions (core/kernels/CMakeLists.txt). Includes only headers that CUDA
// sources can include.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/kernels/instances/instance_task.h"
#include "core/kernels/routing/node_features.h"
#include "core/kernels/routing/routing_rules.h"
#include "core/kernels/support/group.h"
#include "core/problem/generate/instance_draws.h"

namespace vrp {

// The random numbers of an instance's demands, and the demands' bound and number.
struct DemandDraws {
  CounterRandom numbers = CounterRandom(0);  // positioned at the first demand
  int64_t largest = kMaxDemand;              // largest demand
  int32_t count = 0;
};
// Draws each demand separately. If one draw took more than kDemandWords, repeats it and all
// later ones in sequence.
template <typename Group>
VRP_DEVICE void DrawDemands(const Group& group, const DemandDraws& draws, double* demands) {
  const auto from = [&](int32_t i) {
    return draws.numbers.From(draws.numbers.position() + kDemandWords * static_cast<uint64_t>(i));
  };
  group.Each(draws.count, [&](int32_t i) {
    CounterRandom random = from(i);
    const uint64_t end = random.position() + kDemandWords;
    const double demand = DrawDemand(draws.largest, random);
    demands[i] = random.position() == end ? demand : -demand;
  });
  group.Rows(1, [&](const auto& lanes, int32_t) {
    const int32_t first = lanes.First(draws.count, [&](int32_t i) { return demands[i] < 0; });
    lanes.Once([&] {
      CounterRandom random = from(first);
      for (int32_t i = first; i < draws.count; ++i) demands[i] = DrawDemand(draws.largest, random);
    });
  });
}

// Returns the values of instance `index`, except those of its nodes.
VRP_DEVICE inline RoutingProblem DrawProblem(const UniformInstances& drawn, int64_t index,
                                             const NodeColumns& columns) {
  CounterRandom random = InstanceRandom(drawn.seed, index, InstanceStream::kMixture);
  RoutingProblem problem;
  problem.tsp = drawn.kind[DrawOneOf(drawn.kinds, random)] == ProblemKind::kTsp;
  problem.nodes = drawn.customers + (problem.tsp ? 0 : 1);
  problem.x = columns.x;
  problem.y = columns.y;
  if (problem.tsp) return problem;
  problem.demands = columns.demands;
  problem.capacity = DrawCapacity(drawn.min_capacity, drawn.max_capacity, random);
  return problem;
}

template <typename Group>
VRP_DEVICE void DrawNodes(const Group& group, const CounterRandom& numbers,
                          const RoutingProblem& problem, const NodeColumns& columns) {
  group.Each(problem.nodes, [&](int32_t node) {
    CounterRandom random = numbers.From(kPositionWords * static_cast<uint64_t>(node));
    const Position position = DrawPosition(1, random);
    columns.x[node] = position.x;
    columns.y[node] = position.y;
  });
  if (problem.tsp) return;
  group.Once([&] { columns.demands[0] = 0; });
  DrawDemands(group,
              {.numbers = numbers.From(kPositionWords * static_cast<uint64_t>(problem.nodes)),
               .count = problem.nodes - 1},
              columns.demands + 1);
}

// Returns the square around the nodes, and the problem with its scale. `extremes` [4] is memory of
// the group.
template <typename Group>
VRP_DEVICE FeatureFrame FrameOf(const Group& group, const RoutingProblem& problem,
                                double* extremes) {
  // Computes the largest x and y, and the negated smallest x and y.
  group.Rows(4, [&](const auto& lanes, int32_t row) {
    const double* const values = row % 2 == 0 ? problem.x : problem.y;
    const double sign = row < 2 ? 1 : -1;
    const auto largest = lanes.template Max<double>(
        problem.nodes, [&](int32_t node) { return sign * values[node]; });
    lanes.Once([&] { extremes[row] = largest; });
  });
  FeatureFrame frame = {.problem = problem, .low_x = -extremes[2], .low_y = -extremes[3]};
  frame.side = FrameSide(extremes[0] - frame.low_x, extremes[1] - frame.low_y);
  frame.problem.scale = frame.side;
  return frame;
}

// Draws instance `b` of the batch. Writes its row of each of the task's outputs; the features of
// padding are 0. `extremes` [4] is memory of the group.
template <typename Group>
VRP_DEVICE void MakeInstance(const Group& group, const InstanceTask& task, int32_t b,
                             double* extremes) {
  const int64_t index = *task.batch * task.instances + b;
  const NodeColumns columns = ColumnsOf(task, b);
  const RoutingProblem drawn = DrawProblem(task.drawn, index, columns);
  const ProblemKind kind = drawn.tsp ? ProblemKind::kTsp : ProblemKind::kCvrp;
  DrawNodes(group, InstanceRandom(task.drawn.seed, index, InstanceStream::kNodes, kind), drawn,
            columns);
  const FeatureFrame frame = FrameOf(group, drawn, extremes);
  group.Once([&] {
    task.rules[b] = MakeStepRules(frame.problem);
    task.scales[b] = frame.problem.scale;
    task.sizes[b] = frame.problem.nodes;
    task.tsp[b] = frame.problem.tsp;
  });
  const auto distance = [&](int32_t from, int32_t to) {
    const double x = columns.x[from] - columns.x[to];
    const double y = columns.y[from] - columns.y[to];
    return std::sqrt(x * x + y * y);
  };
  group.Each(task.nodes, [&](int32_t node) {
    float* const features = task.features + (int64_t{b} * task.nodes + node) * kNodeFeatures;
    if (node < frame.problem.nodes) return WriteNodeFeatures(frame, node, distance, features);
    for (int32_t i = 0; i < kNodeFeatures; ++i) features[i] = 0;
  });
}

}  // namespace vrp
