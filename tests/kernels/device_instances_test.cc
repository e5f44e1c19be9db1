// Tests the program that draws instances, on the CPU. tests/train/drawn_by_device_test.cc compares
// the instances with the host's instances.
#include "core/kernels/instances/device_instances.h"

#include <vector>

#include "core/kernels/instances/instance_program.h"
#include "gtest/gtest.h"
#include "tests/kernels/drawn_instances.h"

namespace vrp {
namespace {

TEST(DrawDemandsTest, ContinuesAfterDrawsThatTookExtraNumbers) {
  constexpr int64_t kLargest = INT64_MAX / 4 * 3;  // rejects every fourth number
  const CounterRandom numbers = CounterRandom(5, 6, 7).From(4);
  std::vector<double> demands(50);
  DrawDemands(SerialGroup(), {.numbers = numbers, .largest = kLargest, .count = 50},
              demands.data());
  CounterRandom random = numbers;
  std::vector<double> expected;
  for (int i = 0; i < 50; ++i) expected.push_back(DrawDemand(kLargest, random));
  EXPECT_GT(random.position(), numbers.position() + 50 * kDemandWords);
  EXPECT_EQ(demands, expected);
}

TEST(DeviceInstancesTest, DrawTheBatchWhoseNumberIsInMemory) {
  const UniformInstances drawn = {
      .seed = 3, .customers = 7, .min_capacity = 20, .max_capacity = 20};
  const test::DrawnShape small = {.drawn = drawn, .instances = 4, .nodes = 8};
  const test::DrawnShape large = {.drawn = drawn, .instances = 12, .nodes = 8};
  std::vector<uint8_t> all = test::DrawBatchOnCpu(large, 1);
  std::vector<uint8_t> part = test::DrawBatchOnCpu(small, 4);
  const StepRules* const expected = test::TaskAt(all.data(), large).rules + 4;
  const StepRules* const actual = test::TaskAt(part.data(), small).rules;
  for (int b = 0; b < 4; ++b) test::ExpectSameRules(actual[b], expected[b]);
}

TEST(DeviceInstancesTest, HaveNoFeaturesBeyondTheirNodes) {
  const test::DrawnShape shape = {.drawn = {.customers = 5,
                                            .kinds = 2,
                                            .kind = {ProblemKind::kTsp, ProblemKind::kCvrp},
                                            .min_capacity = 20,
                                            .max_capacity = 30},
                                  .instances = 20,
                                  .nodes = 9};
  std::vector<uint8_t> memory = test::DrawBatchOnCpu(shape, 0);
  const InstanceTask task = test::TaskAt(memory.data(), shape);
  int tours = 0;
  for (int b = 0; b < 20; ++b) {
    EXPECT_EQ(task.sizes[b], task.tsp[b] ? 5 : 6);
    tours += task.tsp[b] ? 1 : 0;
    for (int64_t i = task.sizes[b] * kNodeFeatures; i < 9 * kNodeFeatures; ++i) {
      ASSERT_EQ(task.features[b * 9 * kNodeFeatures + i], 0);
    }
  }
  EXPECT_GT(tours, 0);
  EXPECT_LT(tours, 20);
}

TEST(DeviceInstancesTest, MaxNodesIsThatOfTheLargestInstance) {
  EXPECT_EQ(MaxNodes({.customers = 5}), 6);
  EXPECT_EQ(MaxNodes({.customers = 5, .kinds = 1, .kind = {ProblemKind::kTsp}}), 5);
  EXPECT_EQ(MaxNodes({.customers = 5, .kinds = 2, .kind = {ProblemKind::kTsp, ProblemKind::kCvrp}}),
            6);
}

}  // namespace
}  // namespace vrp
