// A batch of instances that is drawn where it is used: what, and to where. No includes that CUDA
// sources could not have.
#pragma once

#include <cstdint>

#include "core/kernels/routing/routing_rules.h"
#include "core/problem/generate/instance_draws.h"

namespace vrp {

// Coordinates and demands: doubles of a node.
inline constexpr int32_t kInstanceColumns = 3;

// Nodes of the largest instance.
constexpr int32_t MostNodes(const UniformInstances& drawn) {
  for (int32_t k = 0; k < drawn.kinds; ++k) {
    if (drawn.kind[k] != ProblemKind::kTsp) return drawn.customers + 1;
  }
  return drawn.customers;
}

// Views of one device's memory.
struct InstanceTask {
  UniformInstances drawn;
  int32_t instances = 0;           // B
  int32_t nodes = 0;               // N, room of each instance; at least MostNodes
  const int64_t* batch = nullptr;  // the batch's number: so many were drawn before it
  StepRules* rules = nullptr;      // [B]
  double* columns = nullptr;       // [B, kInstanceColumns, N], to which the rules point
  double* scales = nullptr;        // [B], see RoutingProblem
  int64_t* sizes = nullptr;        // [B]: nodes
  float* features = nullptr;       // [B, N, kNodeFeatures], 0 beyond an instance's nodes
  bool* tsp = nullptr;             // [B]
};

// Where the nodes of instance `b` lie.
struct NodeColumns {
  double* x = nullptr;
  double* y = nullptr;
  double* demands = nullptr;
};
constexpr NodeColumns ColumnsOf(const InstanceTask& task, int32_t b) {
  double* const first = task.columns + int64_t{b} * kInstanceColumns * task.nodes;
  return {.x = first, .y = first + task.nodes, .demands = first + 2 * int64_t{task.nodes}};
}

}  // namespace vrp
