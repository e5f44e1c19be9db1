// A batch drawn on a device, in one piece of memory, so that a test can copy and compare the whole
// batch at once.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/kernels/instances/device_instances.h"
#include "core/kernels/routing/node_features.h"
#include "gtest/gtest.h"

namespace vrp::test {

struct DrawnShape {
  UniformInstances drawn;
  int32_t instances = 0;
  int32_t nodes = 0;
};

// Returns the addresses of a batch's parts in memory from `base` on. The batch's number comes
// first.
inline InstanceTask TaskAt(uint8_t* base, const DrawnShape& shape) {
  InstanceTask task = {.drawn = shape.drawn, .instances = shape.instances, .nodes = shape.nodes};
  const int64_t rows = int64_t{shape.instances} * shape.nodes;
  const auto take = [&base](auto*& part, int64_t count) {
    part = reinterpret_cast<std::remove_reference_t<decltype(part)>>(base);
    base += count * static_cast<int64_t>(sizeof(*part));
  };
  take(task.batch, 1);
  take(task.rules, shape.instances);
  take(task.columns, rows * kInstanceColumns);
  take(task.scales, shape.instances);
  take(task.sizes, shape.instances);
  take(task.features, rows * kNodeFeatures);
  take(task.tsp, shape.instances);
  return task;
}
inline int64_t BytesOf(const DrawnShape& shape) {
  const int64_t rows = int64_t{shape.instances} * shape.nodes;
  constexpr int64_t kInstance = sizeof(StepRules) + sizeof(double) + sizeof(int64_t) + sizeof(bool);
  constexpr int64_t kRow = kInstanceColumns * sizeof(double) + kNodeFeatures * sizeof(float);
  return static_cast<int64_t>(sizeof(int64_t)) + shape.instances * kInstance + rows * kRow;
}

// Returns memory that holds the batch's number and otherwise bytes that no batch contains.
inline std::vector<uint8_t> UndrawnBatch(const DrawnShape& shape, int64_t batch) {
  std::vector<uint8_t> memory(static_cast<size_t>(BytesOf(shape)), 0xA5);
  std::memcpy(memory.data(), &batch, sizeof(batch));
  return memory;
}
inline std::vector<uint8_t> DrawBatchOnCpu(const DrawnShape& shape, int64_t batch) {
  std::vector<uint8_t> memory = UndrawnBatch(shape, batch);
  DrawInstancesOnCpu(TaskAt(memory.data(), shape));
  return memory;
}

inline void ExpectSameValues(const double* actual, const double* expected, int32_t count) {
  ASSERT_EQ(actual == nullptr, expected == nullptr);
  if (expected == nullptr) return;
  for (int32_t i = 0; i < count; ++i) ASSERT_EQ(actual[i], expected[i]) << i;
}

// Expects equal rules, except for the addresses of arrays. Expects no matrices, backhauls, windows
// or service times.
inline void ExpectSameRules(const StepRules& actual, const StepRules& expected) {
  EXPECT_EQ(actual.load_limit, expected.load_limit);
  EXPECT_EQ(actual.distance_limit, expected.distance_limit);
  EXPECT_EQ(actual.duration_limit, expected.duration_limit);
  EXPECT_EQ(actual.time_tolerance, expected.time_tolerance);
  EXPECT_EQ(actual.timed, expected.timed);
  EXPECT_EQ(actual.bounded, expected.bounded);
  EXPECT_EQ(actual.pickups, expected.pickups);
  const RoutingProblem& one = actual.problem;
  const RoutingProblem& other = expected.problem;
  ASSERT_EQ(one.nodes, other.nodes);
  EXPECT_EQ(one.tsp, other.tsp);
  EXPECT_EQ(one.open_routes, other.open_routes);
  EXPECT_EQ(one.metric, other.metric);
  EXPECT_EQ(one.speed, other.speed);
  EXPECT_EQ(one.capacity, other.capacity);
  EXPECT_EQ(one.distance_limit, other.distance_limit);
  EXPECT_EQ(one.duration_limit, other.duration_limit);
  EXPECT_EQ(one.horizon, other.horizon);
  EXPECT_EQ(one.scale, other.scale);
  ExpectSameValues(one.x, other.x, one.nodes);
  ExpectSameValues(one.y, other.y, one.nodes);
  ExpectSameValues(one.demands, other.demands, one.nodes);
  for (const RoutingProblem* problem : {&one, &other}) {
    EXPECT_EQ(problem->distances, nullptr);
    EXPECT_EQ(problem->durations, nullptr);
    EXPECT_EQ(problem->backhauls, nullptr);
    EXPECT_EQ(problem->window_opens, nullptr);
    EXPECT_EQ(problem->window_closes, nullptr);
    EXPECT_EQ(problem->services, nullptr);
  }
}

}  // namespace vrp::test
