#include "core/kernels/improve/batch_improver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "core/base/steady_time.h"
#include "core/kernels/improve/improve_calls.h"
#include "core/kernels/improve/improve_launch_plan.h"
#include "tests/kernels/improve_case.h"

namespace vrp {
namespace {

using test::CostOf;
using test::ImproveCase;
using test::IsFeasible;
using test::RandomPlan;

std::vector<ImprovedPlan> RandomPlans() {
  return {RandomPlan({.customers = 40, .seed = 1}),
          RandomPlan({.customers = 40, .seed = 1}),
          RandomPlan({.customers = 1}),
          RandomPlan({.customers = 2, .seed = 2}),
          RandomPlan({.customers = 70, .spare = 0, .seed = 3}),
          RandomPlan({.customers = 30, .tsp = true, .seed = 4}),
          RandomPlan({.customers = 12, .capacity = 9, .seed = 5})};
}

std::vector<ImprovedPlan> ImprovePlans(const ImproveOptions& options,
                                       std::vector<ImprovedPlan> plans = RandomPlans(),
                                       int64_t part_bytes = int64_t{1} << 30) {
  const auto rounds = MakeSerialBatchImprover(part_bytes)->Improve(plans, options);
  EXPECT_TRUE(rounds.ok()) << rounds.status();
  EXPECT_EQ(*rounds, options.rounds);
  return plans;
}

std::vector<std::vector<std::vector<int32_t>>> RoutesOf(const std::vector<ImprovedPlan>& plans) {
  std::vector<std::vector<std::vector<int32_t>>> routes;
  for (const ImprovedPlan& plan : plans) routes.push_back(plan.plan);
  return routes;
}

TEST(BatchImproverTest, PlansStayFeasibleAndMoreRoundsCostLess) {
  const std::vector<ImprovedPlan> initial = RandomPlans();
  std::vector<ImprovedPlan> before = initial;
  for (const int32_t rounds : {0, 300, 6000}) {
    const std::vector<ImprovedPlan> after = ImprovePlans({.rounds = rounds});
    int64_t sum_before = 0;
    int64_t sum_after = 0;
    for (size_t i = 0; i < initial.size(); ++i) {
      EXPECT_TRUE(IsFeasible(after[i])) << i;
      EXPECT_LE(CostOf(after[i]), CostOf(initial[i])) << i;
      sum_before += CostOf(before[i]);
      sum_after += CostOf(after[i]);
    }
    EXPECT_LT(sum_after, sum_before);
    before = after;
  }
}

TEST(BatchImproverTest, PartsAndThreadsDoNotChangeThePlans) {
  const ImproveOptions options = {.rounds = 200, .seed = 5};
  const auto expected = RoutesOf(ImprovePlans(options));
  EXPECT_EQ(RoutesOf(ImprovePlans(options, RandomPlans(), 1)), expected);
  EXPECT_EQ(RoutesOf(ImprovePlans(options, RandomPlans(), 30'000)), expected);
  CpuPool pool(2);
  ImproveOptions threads = options;
  threads.pool = &pool;
  EXPECT_EQ(RoutesOf(ImprovePlans(threads)), expected);
}

TEST(BatchImproverTest, PlansDependOnTheSeedButNotOnThePositionInTheBatch) {
  const auto plans = RoutesOf(ImprovePlans({.rounds = 200, .seed = 5}));
  EXPECT_EQ(plans[0], plans[1]) << "equal instances must get equal plans";
  EXPECT_EQ(plans[4], RoutesOf(ImprovePlans({.rounds = 200, .seed = 5}, {RandomPlans()[4]}))[0]);
  EXPECT_NE(RoutesOf(ImprovePlans({.rounds = 200, .seed = 6})), plans);
}

TEST(BatchImproverTest, SplitsTheWorkIntoShortDeviceTasks) {
  int calls = 0;
  absl::Duration longest;
  bool inside = false;
  const DeviceRunner runner = [&](absl::FunctionRef<absl::Status()> work) {
    EXPECT_FALSE(std::exchange(inside, true));
    // Simulates a wait for other work on the device, which must not count as the task's time.
    if (calls < 60) absl::SleepFor(absl::Milliseconds(25));
    const absl::Time initial = SteadyNow();
    const absl::Status status = work();
    longest = std::max(longest, SteadyNow() - initial);
    inside = false;
    ++calls;
    return status;
  };
  std::vector<ImprovedPlan> plans = RandomPlans();
  const auto rounds =
      MakeSerialBatchImprover(int64_t{1} << 30, runner)->Improve(plans, {.rounds = 2000});
  ASSERT_TRUE(rounds.ok()) << rounds.status();
  EXPECT_EQ(*rounds, 2000);
  EXPECT_EQ(RoutesOf(plans), RoutesOf(ImprovePlans({.rounds = 2000})));
  EXPECT_GT(calls, 1);
  EXPECT_LT(calls, 60);
  EXPECT_LT(longest, absl::Seconds(2));
}

TEST(BatchImproverTest, FailsWhenTheDevicesThreadHasEnded) {
  int calls = 0;
  const DeviceRunner runner = [&](absl::FunctionRef<absl::Status()> work) {
    return ++calls < 3 ? work() : absl::CancelledError("ended");
  };
  std::vector<ImprovedPlan> plans = RandomPlans();
  const auto rounds =
      MakeSerialBatchImprover(int64_t{1} << 30, runner)->Improve(plans, {.rounds = 100000});
  EXPECT_EQ(rounds.status(), absl::CancelledError("ended"));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(RoutesOf(plans), RoutesOf(RandomPlans()));
}

TEST(BatchImproverTest, StopsEarlyWithFeasiblePlans) {
  std::vector<ImprovedPlan> plans = RandomPlans();
  const auto rounds = MakeSerialBatchImprover()->Improve(
      plans, {.rounds = 1'000'000'000,
              .stop = StopCondition(SteadyNow() + absl::Milliseconds(50), nullptr)});
  ASSERT_TRUE(rounds.ok()) << rounds.status();
  EXPECT_GT(*rounds, 0);
  EXPECT_LT(*rounds, 1'000'000'000);
  const std::vector<ImprovedPlan> descended = ImprovePlans({.rounds = 0});
  for (size_t i = 0; i < plans.size(); ++i) {
    EXPECT_TRUE(IsFeasible(plans[i])) << i;
    EXPECT_LE(CostOf(plans[i]), CostOf(descended[i])) << i;
  }
}

// Lanes that run their iterations backwards. A plan must not depend on this order, since the lanes
// of a warp use another order than a single thread.
struct BackwardLanes {
  template <typename Body>
  void Each(int32_t count, const Body& body) const {
    for (int32_t i = count - 1; i >= 0; --i) body(i);
  }
  template <typename Body>
  void Once(const Body& body) const {
    body();
  }
  template <typename Value>
  MinValue Min(int32_t count, const Value& value) const {
    MinValue least = {.index = count};
    for (int32_t i = count - 1; i >= 0; --i) {
      const int32_t other = value(i);
      if (other < least.value || (other == least.value && other != kNoMove)) least = {other, i};
    }
    return least;
  }
};

// Improves the plans with BackwardLanes, in several calls of the program.
std::vector<ImprovedPlan> ImproveBackward(std::vector<ImprovedPlan> plans, int32_t rounds,
                                          uint64_t seed) {
  PackedPlans packed(plans);
  std::vector<uint16_t> neighbours(static_cast<size_t>(packed.neighbour_count()));
  std::vector<uint8_t> best(packed.plans().size());
  const auto tasks =
      packed.TasksAt(packed.distances().data(), packed.demands().data(), neighbours.data());
  const ImproveBatch batch = {.instances = packed.size(),
                              .nodes = packed.nodes(),
                              .routes = packed.routes(),
                              .tasks = tasks.data(),
                              .current = packed.plans().data(),
                              .best = best.data()};
  ImproveRequest request = {
      .annealing = MakeAnnealingTable(), .seed = seed, .rounds = rounds, .end_round = 0};
  std::vector<uint8_t> memory(static_cast<size_t>(ImproveScratchBytes(batch.nodes, batch.routes)));
  for (const int32_t end : {1, 3, 10, rounds}) {
    request.first_round = request.end_round;
    request.end_round = end;
    for (int32_t number = 0; number < batch.instances; ++number) {
      const ImproveTask& task = tasks[static_cast<size_t>(number)];
      Improve(BackwardLanes(), batch, ImproveScratchAt(task.nodes, task.routes, memory.data()),
              request, number);
    }
  }
  packed.Unpack(best, plans);
  return plans;
}

TEST(BatchImproverTest, PlansDependNeitherOnTheOrderOfThreadsNorOnTheSplitIntoCalls) {
  EXPECT_EQ(RoutesOf(ImproveBackward(RandomPlans(), 150, 9)),
            RoutesOf(ImprovePlans({.rounds = 150, .seed = 9})));
}

TEST(ImproveCallsTest, CoverAllRoundsInOrder) {
  int32_t done = 0;
  const auto rounds =
      CallImprove({.rounds = 1000, .seed = 3}, {}, [&](const ImproveRequest& request) {
        EXPECT_EQ(request.first_round, done);
        EXPECT_GT(request.end_round, done);
        EXPECT_EQ(request.rounds, 1000);
        EXPECT_EQ(request.seed, 3);
        done = request.end_round;
        return absl::OkStatus();
      });
  EXPECT_EQ(*rounds, 1000);
  EXPECT_EQ(done, 1000);
}

TEST(ImproveCallsTest, StopAtAFailure) {
  const auto failing = [](const ImproveRequest&) { return absl::InternalError("lost"); };
  EXPECT_TRUE(absl::IsInternal(CallImprove({.rounds = 10}, {}, failing).status()));
}

TEST(AnnealingTableTest, TemperaturesAndLogsDecrease) {
  const AnnealingTable table = MakeAnnealingTable();
  EXPECT_TRUE(std::is_sorted(std::rbegin(table.temperatures), std::rend(table.temperatures)));
  EXPECT_GT(table.temperatures[kCoolingSteps - 1], 0);
  EXPECT_TRUE(std::is_sorted(std::rbegin(table.logs), std::rend(table.logs)));
  EXPECT_NEAR(table.logs[127] / 4096.0, 0.695, 0.01);
}

TEST(PlanImproveLaunchTest, KeepsScratchInSharedMemoryIfThatOfOneWarpFits) {
  constexpr DeviceLimits kH200 = {.shared_bytes = 232'448, .multiprocessors = 132};
  const ImproveLaunchPlan hundred = PlanImproveLaunch(10'000, ImproveScratchBytes(101, 20), kH200);
  EXPECT_EQ(hundred.warps, kMaxImproveWarps);
  EXPECT_EQ(hundred.blocks(10'000), 2500);
  EXPECT_EQ(hundred.blocks(10'001), 2501);
  EXPECT_EQ(hundred.global_scratch_bytes, 0);
  // A multiprocessor can hold all warps that 64 registers per thread allow.
  EXPECT_LE(hundred.shared_bytes * 32 / kMaxImproveWarps, kH200.shared_bytes);

  const ImproveLaunchPlan large = PlanImproveLaunch(3, 100'000, kH200);
  EXPECT_EQ(large.warps, 2);
  EXPECT_EQ(large.shared_bytes, 200'000);
  const ImproveLaunchPlan larger = PlanImproveLaunch(3, 300'000, kH200);
  EXPECT_EQ(larger.shared_bytes, 0);
  EXPECT_EQ(larger.global_scratch_bytes, 900'000);
}

}  // namespace
}  // namespace vrp
