#include "core/model/policy/engine_policy.h"

#include <memory>
#include <string>
#include <vector>

#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/problem/checker/checker.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/model/small_networks.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::SmallTransformer;

TEST(EnginePolicyTest, MoreAugmentationsAndStartsAreNeverWorse) {
  const auto policy =
      MakeEnginePolicy(MakeCpuGraphTransformer(SmallTransformer(), 5), {ProblemKind::kCvrp}, {});
  const std::vector<Instance> instances =
      *GenerateInstances({.kind = ProblemKind::kCvrp, .customers = 15}, 10);
  const auto cost = [&](const DecodeOptions& options) {
    const auto plans = policy->Decode(instances, options);
    EXPECT_TRUE(plans.ok()) << plans.status();
    double sum = 0;
    for (size_t i = 0; i < instances.size(); ++i) {
      sum += CheckPlan(instances[i], (*plans)[i].plan).cost;
    }
    return sum;
  };
  const double starts = cost({.method = DecodeMethod::kMultiStart, .width = 0});
  const double augmented =
      cost({.method = DecodeMethod::kMultiStart, .width = 0, .augmentations = 8});
  EXPECT_LT(starts, cost({.method = DecodeMethod::kMultiStart, .width = 1}));
  EXPECT_LT(augmented, starts);
  EXPECT_LE(cost({.augmentations = 8}), cost({}));
}

TEST(EnginePolicyTest, SortsOtherPlansByCost) {
  const auto policy =
      MakeEnginePolicy(MakeCpuGraphTransformer(SmallTransformer(), 5), {ProblemKind::kCvrp}, {});
  const std::vector<Instance> instances =
      *GenerateInstances({.kind = ProblemKind::kCvrp, .customers = 15}, 4);
  const auto plans =
      policy->Decode(instances, {.method = DecodeMethod::kSample, .width = 12, .others = 5});
  ASSERT_TRUE(plans.ok()) << plans.status();
  for (size_t i = 0; i < instances.size(); ++i) {
    ASSERT_EQ((*plans)[i].others.size(), 5);
    double last = CheckPlan(instances[i], (*plans)[i].plan).cost;
    for (const Plan& plan : (*plans)[i].others) {
      const CheckReport report = CheckPlan(instances[i], plan);
      EXPECT_TRUE(report.feasible);
      EXPECT_GE(report.cost, last - 1e-6);
      last = report.cost;
    }
  }
  EXPECT_TRUE(policy->Decode(instances, {.others = 3})->front().others.empty());
}

TEST(EnginePolicyTest, NamesOptionsOutOfRange) {
  const auto policy =
      MakeEnginePolicy(MakeCpuGraphTransformer(SmallTransformer(), 5), {ProblemKind::kCvrp}, {});
  const std::vector<Instance> instances = {AnInstance().Build()};
  const auto message = [&](const DecodeOptions& options) {
    return std::string(policy->Decode(instances, options).status().message());
  };
  EXPECT_EQ(message({.width = 0}), "width: got 0, wanted 1 to 100000");
  EXPECT_EQ(message({.augmentations = 9}), "augmentations: got 9, wanted 1 to 8");
  EXPECT_EQ(message({.others = -1}), "others: got -1, wanted 0 or more");
  EXPECT_EQ(message({.method = DecodeMethod::kSample, .temperature = 0}),
            "temperature: got 0, wanted 0.001 to 1000");
}

TEST(EnginePolicyTest, ReportsAFleetTooSmallForThePlan) {
  const auto policy =
      MakeEnginePolicy(MakeCpuGraphTransformer(SmallTransformer(), 5), {ProblemKind::kCvrp}, {});
  const std::vector<Instance> instances = {
      AnInstance().WithCustomers(4).Demands({5, 5, 5, 5}).Capacity(5).Vehicles(3).Build()};
  const auto plans = policy->Decode(instances, {});
  EXPECT_EQ(plans.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(plans.status().message()).find("needs 4 vehicles, but there are 3"),
            std::string::npos);
}

TEST(EnginePolicyTest, NamesAnUnreachableCustomer) {
  const auto policy =
      MakeEnginePolicy(MakeCpuGraphTransformer(SmallTransformer(), 5), {ProblemKind::kVrptw}, {});
  const std::vector<Instance> instances = {
      AnInstance().At({{0, 0}, {5, 0}, {50, 0}}).Windows({{0, 900}, {0, 40}}, 1000).Build()};
  const auto plans = policy->Decode(instances, {});
  EXPECT_EQ(plans.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(plans.status().message()).find("customer 2"), std::string::npos)
      << plans.status();
}

TEST(EnginePolicyTest, RefusesKindsThatItWasNotTrainedFor) {
  const auto policy = MakeEnginePolicy(MakeCpuGraphTransformer(SmallTransformer(), 5),
                                       {ProblemKind::kCvrp, ProblemKind::kTsp}, {});
  const std::vector<Instance> instances =
      *GenerateInstances({.kind = ProblemKind::kVrptw, .customers = 5}, 1);
  const absl::Status status = policy->Decode(instances, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(status.message(),
            "instances[0].kind: got vrptw, which this model was not trained for; wanted cvrp or "
            "tsp");
}

TEST(EnginePolicyTest, AcceptsAnEmptyBatch) {
  const auto policy =
      MakeEnginePolicy(MakeCpuGraphTransformer(SmallTransformer(), 5), {ProblemKind::kCvrp}, {});
  EXPECT_TRUE(policy->Decode({}, {})->empty());
}

TEST(EnginePolicyTest, StopsOnRequest) {
  const auto policy =
      MakeEnginePolicy(MakeCpuGraphTransformer(SmallTransformer(), 5), {ProblemKind::kCvrp}, {});
  const std::vector<Instance> instances =
      *GenerateInstances({.kind = ProblemKind::kCvrp, .customers = 50}, 20);
  const auto flag = std::make_shared<CancelFlag>();
  flag->Cancel();
  DecodeOptions options;
  options.stop = StopCondition(absl::InfiniteFuture(), flag);
  EXPECT_EQ(policy->Decode(instances, options).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace vrp
