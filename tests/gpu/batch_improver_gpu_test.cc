// Compares the improvement of plans on a device with the same program on the CPU.
#include <string>
#include <vector>

#include "core/kernels/improve/batch_improver.h"
#include "gtest/gtest.h"
#include "tests/gpu/gpu_testing.h"
#include "tests/kernels/improve_case.h"

namespace vrp {
namespace {

struct ImproverCase {
  std::string name;
  std::vector<ImprovedPlan> plans;
  int32_t rounds = 0;
  test::EmulationOptions device = {};
};

std::vector<ImprovedPlan> RandomPlans(int32_t count) {
  std::vector<ImprovedPlan> plans;
  for (int32_t i = 0; i < count; ++i) {
    plans.push_back(
        test::RandomPlan({.customers = 100, .capacity = 50, .seed = static_cast<uint64_t>(i) + 1}));
  }
  return plans;
}

// Returns small cases with four warps per block, two warps, and scratch outside of shared memory.
std::vector<ImproverCase> EmulatedImproverCases() {
  const std::vector<ImprovedPlan> sizes = {
      test::RandomPlan({.customers = 1}), test::RandomPlan({.customers = 3}),
      test::RandomPlan({.customers = 33}), test::RandomPlan({.customers = 20, .tsp = true}),
      test::RandomPlan({.customers = 12, .capacity = 9})};
  return {{"Descent", sizes, 0},
          {"Rounds", sizes, 30, {.seed = 2, .deferred = true}},
          {"FewWarps", sizes, 10, {.shared_bytes = 5000, .seed = 3}},
          {"BeyondSharedMemory", sizes, 10, {.shared_bytes = 700, .seed = 4}}};
}

// Returns cases with scratch in shared memory, few warps per block, and scratch in global memory.
std::vector<ImproverCase> ImproverCases() {
  if (test::kEmulated) return EmulatedImproverCases();
  return {{"Descent", RandomPlans(9), 0},
          {"Rounds", RandomPlans(9), 500},
          {"OneOfEachSize",
           {test::RandomPlan({.customers = 1}), test::RandomPlan({.customers = 3}),
            test::RandomPlan({.customers = 33}), test::RandomPlan({.customers = 250})},
           100},
          {"FewRounds",
           {test::RandomPlan({.customers = 1}), test::RandomPlan({.customers = 3}),
            test::RandomPlan({.customers = 33})},
           10},
          {"Tsp", {test::RandomPlan({.customers = 100, .tsp = true})}, 200},
          {"Large", {test::RandomPlan({.customers = 1500, .capacity = 200})}, 20},
          {"BeyondSharedMemory", {test::RandomPlan({.customers = 2047, .capacity = 9})}, 3}};
}

class BatchImproverGpuTest : public testing::TestWithParam<ImproverCase> {
 protected:
  void SetUp() override {
    if (!test::HasGpu()) GTEST_SKIP() << test::kNoGpu;
    test::ConfigureDevice(GetParam().device);
  }
};

TEST_P(BatchImproverGpuTest, MakesTheSamePlansAsTheCpu) {
  const ImproveOptions options = {.rounds = GetParam().rounds, .seed = 3};
  std::vector<ImprovedPlan> cpu_plans = GetParam().plans;
  std::vector<ImprovedPlan> device_plans = GetParam().plans;
  ASSERT_TRUE(MakeSerialBatchImprover()->Improve(cpu_plans, options).ok());
  const auto rounds = MakeCudaBatchImprover({})->Improve(device_plans, options);
  ASSERT_TRUE(rounds.ok()) << rounds.status();
  EXPECT_EQ(*rounds, options.rounds);
  for (size_t i = 0; i < cpu_plans.size(); ++i) {
    EXPECT_EQ(device_plans[i].plan, cpu_plans[i].plan) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, BatchImproverGpuTest, testing::ValuesIn(ImproverCases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vrp
