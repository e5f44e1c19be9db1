#include "core/model/policy/improving_policy.h"

#include <memory>
#include <string>
#include <vector>

#include "core/base/steady_time.h"
#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/model/policy/engine_policy.h"
#include "core/model/policy/integer_scaling.h"
#include "core/problem/checker/checker.h"
#include "core/problem/generate/generators.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::HasSubstr;

std::unique_ptr<Policy> SmallPolicy() {
  return MakeEnginePolicy(
      MakeCpuGraphTransformer({.hidden = 32, .heads = 4, .feed_forward = 48, .layers = 1}, 5),
      {ProblemKind::kCvrp, ProblemKind::kTsp, ProblemKind::kVrptw}, {});
}

std::unique_ptr<Policy> MakeSmallImprovingPolicy() {
  return MakeImprovingPolicy(SmallPolicy(), MakeSerialBatchImprover());
}

DecodeOptions OptionsWithRounds(int32_t rounds) {
  DecodeOptions options;
  options.improvement = PlanImprovement{.rounds = rounds};
  return options;
}

double Cost(const Instance& instance, const DecodedPlan& decoded) {
  const CheckReport report = CheckPlan(instance, decoded.plan);
  EXPECT_TRUE(report.feasible) << instance.name();
  return report.cost;
}

// Returns instances of all variants that the policy improves.
std::vector<Instance> ImprovableInstances() {
  return {AnInstance().WithCustomers(40).RandomDemands().Capacity(25).Build(),
          AnInstance().WithCustomers(30).RandomDemands().Capacity(25).As(Metric::kRounded).Build(),
          AnInstance().WithCustomers(30).RandomDemands().Capacity(20).As(Metric::kDimacs).Build(),
          AnInstance().WithCustomers(25).Kind(ProblemKind::kTsp).Build(),
          AnInstance().WithCustomers(20).RandomDemands().Capacity(25).ExplicitMatrix().Build(),
          AnInstance()
              .At({{0, 0}, {1, 2}, {3, 1}, {5, 4}, {2, 2}})
              .Demands({0.3, 0.7, 0.35, 0.6})
              .Capacity(1)
              .Build(),
          AnInstance().WithCustomers(1).Build()};
}

TEST(ImprovingPolicyTest, ImprovesTheNetworksPlansInAnyBatch) {
  const std::vector<Instance> instances = ImprovableInstances();
  const auto decoded = MakeSmallImprovingPolicy()->Decode(instances, {});
  const auto improved = MakeSmallImprovingPolicy()->Decode(instances, OptionsWithRounds(400));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  ASSERT_TRUE(improved.ok()) << improved.status();
  double before = 0;
  double after = 0;
  for (size_t i = 0; i < instances.size(); ++i) {
    EXPECT_LE(Cost(instances[i], (*improved)[i]), Cost(instances[i], (*decoded)[i])) << i;
    before += Cost(instances[i], (*decoded)[i]);
    after += Cost(instances[i], (*improved)[i]);
    EXPECT_EQ((*improved)[i].rounds, 400);
    EXPECT_GT((*improved)[i].improving, absl::ZeroDuration());
    EXPECT_EQ((*decoded)[i].rounds, 0);
    // An instance must get the same plan in a batch as alone.
    const auto alone = MakeSmallImprovingPolicy()->Decode(std::span(instances).subspan(i, 1),
                                                          OptionsWithRounds(400));
    EXPECT_EQ((*alone)[0].plan, (*improved)[i].plan) << i;
  }
  EXPECT_LT(after, 0.9 * before);
}

TEST(ImprovingPolicyTest, FindsTheOptimumOfTinyInstances) {
  const auto policy = MakeSmallImprovingPolicy();
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const Instance instance = AnInstance()
                                  .WithCustomers(4 + static_cast<int32_t>(seed % 5))
                                  .Seed(seed)
                                  .RandomDemands()
                                  .Capacity(seed % 2 == 0 ? 15 : 40)
                                  .Build();
    const auto plans = policy->Decode(std::span(&instance, 1), OptionsWithRounds(3000));
    ASSERT_TRUE(plans.ok()) << plans.status();
    EXPECT_NEAR(Cost(instance, (*plans)[0]), test::BruteForceOptimum(instance).cost, 1e-6) << seed;
  }
}

TEST(ImprovingPolicyTest, StopsAtTheDeadlineWithFeasiblePlans) {
  const std::vector<Instance> instances = ImprovableInstances();
  DecodeOptions options = OptionsWithRounds(1'000'000'000);
  options.improvement->until = SteadyNow() + absl::Milliseconds(50);
  const auto plans = MakeSmallImprovingPolicy()->Decode(instances, options);
  ASSERT_TRUE(plans.ok()) << plans.status();
  for (size_t i = 0; i < instances.size(); ++i) Cost(instances[i], (*plans)[i]);
  EXPECT_LT((*plans)[0].rounds, 1'000'000'000);
}

TEST(ImprovingPolicyTest, RespectsTheFleet) {
  const Instance limited =
      AnInstance().WithCustomers(24).RandomDemands().Capacity(30).Vehicles(24).Build();
  const auto plans =
      MakeSmallImprovingPolicy()->Decode(std::span(&limited, 1), OptionsWithRounds(300));
  ASSERT_TRUE(plans.ok()) << plans.status();
  Cost(limited, (*plans)[0]);
  const Plan& plan = (*plans)[0].plan;
  EXPECT_LE(ScaleToIntegers(limited, plan).routes, 24);
}

TEST(ImprovingPolicyTest, NamesUnsupportedInstances) {
  const auto policy = MakeSmallImprovingPolicy();
  const auto refusal = [&](const Instance& instance) {
    const absl::Status status = policy->SupportsImprovement(instance);
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
    const auto plans = policy->Decode(std::span(&instance, 1), OptionsWithRounds(1));
    EXPECT_TRUE(absl::IsUnimplemented(plans.status())) << plans.status();
    return std::string(status.message());
  };
  EXPECT_THAT(refusal(AnInstance().RandomWindows().Build()), HasSubstr("time windows"));
  EXPECT_THAT(refusal(AnInstance().OpenEnd().Build()), HasSubstr("open"));
  EXPECT_THAT(refusal(AnInstance().MaxDistance(1000).Build()), HasSubstr("max_distance"));
  EXPECT_THAT(refusal(AnInstance().ExplicitMatrix(0.2).Build()), HasSubstr("distance_matrix"));
  EXPECT_THAT(refusal(AnInstance().WithCustomers(2048).Capacity(9000).Build()),
              HasSubstr("got 2048"));
}

TEST(ImprovingPolicyTest, RefusesToImproveWithoutAGpu) {
  const Instance instance = AnInstance().Build();
  const auto plans = SmallPolicy()->Decode(std::span(&instance, 1), OptionsWithRounds(1));
  EXPECT_TRUE(absl::IsUnimplemented(plans.status())) << plans.status();
  EXPECT_THAT(std::string(plans.status().message()), HasSubstr("GPU"));
}

TEST(ScaleToIntegersTest, KeepsIntegersAndScalesOthersToInt32) {
  const Instance rounded =
      AnInstance().WithCustomers(9).RandomDemands().Capacity(20).As(Metric::kRounded).Build();
  Plan plan;
  for (NodeIndex node = 1; node < rounded.num_nodes(); ++node) plan.push_back({0, {node}});
  const ImprovedPlan integers = ScaleToIntegers(rounded, plan);
  EXPECT_EQ(integers.capacity, 20);
  EXPECT_EQ(integers.demands[3], rounded.demand(3));
  EXPECT_EQ(integers.distances[3 * 10 + 5], rounded.Distance(3, 5));
  const Instance exact = AnInstance().WithCustomers(9).RandomDemands().Capacity(20).Build();
  const ImprovedPlan scaled = ScaleToIntegers(exact, plan);
  const double factor = scaled.distances[3 * 10 + 5] / exact.Distance(3, 5);
  EXPECT_GT(factor, 1e5);
  EXPECT_NEAR(scaled.distances[4 * 10 + 7], exact.Distance(4, 7) * factor, 2);
}

TEST(ScaleToIntegersTest, RoundsLoadsSoThatFeasibleRoutesStayFeasible) {
  const Instance fractions = AnInstance()
                                 .At({{0, 0}, {1, 2}, {3, 1}, {5, 4}})
                                 .Demands({0.1, 0.2, 0.7})
                                 .Capacity(0.9)
                                 .Build();
  const ImprovedPlan integers = ScaleToIntegers(fractions, {{0, {1}}, {0, {2}}, {0, {3}}});
  EXPECT_LE(integers.demands[2] + integers.demands[1], integers.capacity);
  EXPECT_GT(integers.demands[1] + integers.demands[2] + integers.demands[3], integers.capacity);
  EXPECT_EQ(integers.plan.size(), 3);
}

}  // namespace
}  // namespace vrp
