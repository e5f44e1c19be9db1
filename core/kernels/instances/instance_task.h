// A batch of instances to draw on a device: parameters and outputs. Includes only headers that CUDA
// sources can include.
#pragma once

#include <cstdint>

#include "core/kernels/routing/routing_rules.h"
#include "core/problem/generate/instance_draws.h"

namespace vrp {

// Number of doubles per node: its coordinates and its demand.
inline constexpr int32_t kInstanceColumns = 3;

// Returns the number of nodes of the largest instance.
constexpr int32_t MaxNodes(const UniformInstances& drawn) {
  for (int32_t k = 0; k < drawn.kinds; ++k) {
    if (drawn.kind[k] != ProblemKind::kTsp) return drawn.customers + 1;
  }
  return drawn.customers;
}

// A task with views of one device's memory.
struct InstanceTask {
  UniformInstances drawn;
  int32_t instances = 0;           // B
  int32_t nodes = 0;               // N: nodes per instance in the outputs, at least MaxNodes
  const int64_t* batch = nullptr;  // number of the batch: batches drawn before it
  StepRules* rules = nullptr;      // [B]
  double* columns = nullptr;       // [B, kInstanceColumns, N], referred to by the rules
  double* scales = nullptr;        // [B], see RoutingProblem
  int64_t* sizes = nullptr;        // [B]: numbers of nodes
  float* features = nullptr;       // [B, N, kNodeFeatures], 0 beyond an instance's nodes
  bool* tsp = nullptr;             // [B]
};

// The columns of instance `b`.
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
