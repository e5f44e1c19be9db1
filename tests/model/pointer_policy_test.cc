#include "core/model/pointer_policy.h"

#include <algorithm>
#include <thread>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/model/model_card.h"
#include "core/problem/checker.h"
#include "core/problem/generators.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using test::AnInstance;

constexpr PointerNetworkOptions kSmall = {.hidden = 16, .layers = 1, .dropout = 0};

std::unique_ptr<Policy> APolicy(uint64_t seed = 1) {
  return MakePointerPolicy(std::make_shared<PointerNetwork>(kSmall, TensorsOn({}), seed),
                           {ProblemKind::kCvrp}, {});
}

std::vector<Instance> Generated(ProblemKind kind, int64_t count) {
  return *GenerateInstances({.kind = kind, .customers = 12, .seed = 5}, count);
}

class MethodTest : public testing::TestWithParam<std::tuple<ProblemKind, DecodeMethod>> {};

TEST_P(MethodTest, GivesPlansThatTheIndependentCheckerAccepts) {
  const auto [kind, method] = GetParam();
  const std::vector<Instance> instances = Generated(kind, 20);
  const auto plans = APolicy()->Decode(instances, {.method = method, .width = 3, .stop = {}});
  ASSERT_TRUE(plans.ok()) << plans.status();
  ASSERT_EQ(plans->size(), instances.size());
  for (size_t i = 0; i < instances.size(); ++i) {
    const CheckReport report = CheckPlan(instances[i], (*plans)[i].plan);
    EXPECT_TRUE(report.feasible) << report.violations.front().message;
    EXPECT_LT((*plans)[i].log_likelihood, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    KindsAndMethods, MethodTest,
    testing::Combine(testing::Values(ProblemKind::kCvrp, ProblemKind::kVrptw, ProblemKind::kTsp),
                     testing::Values(DecodeMethod::kGreedy, DecodeMethod::kSample,
                                     DecodeMethod::kBeam)));

TEST(PointerPolicyTest, PermutesItsPlanAsTheCustomersArePermuted) {
  const Instance instance = AnInstance().WithCustomers(10).RandomDemands().Capacity(20).Build();
  InstanceData data = instance.data();
  std::reverse(data.positions.begin() + 1, data.positions.end());
  std::reverse(data.demands.begin() + 1, data.demands.end());
  const std::vector<Instance> both = {instance, *Instance::Create(data)};
  auto plans = *APolicy()->Decode(both, {});
  for (PlannedRoute& route : plans[1].plan) {
    for (NodeIndex& node : route.customers) node = 11 - node;
  }
  EXPECT_EQ(plans[0].plan, plans[1].plan);
}

TEST(PointerPolicyTest, SamplesAndBeamsAreNeverLongerThanTheirFirst) {
  const std::vector<Instance> instances = Generated(ProblemKind::kCvrp, 10);
  const auto policy = APolicy();
  const auto greedy = *policy->Decode(instances, {});
  const auto beam =
      *policy->Decode(instances, {.method = DecodeMethod::kBeam, .width = 6, .stop = {}});
  const auto one =
      *policy->Decode(instances, {.method = DecodeMethod::kSample, .width = 1, .stop = {}});
  const auto many =
      *policy->Decode(instances, {.method = DecodeMethod::kSample, .width = 16, .stop = {}});
  double one_cost = 0;
  double many_cost = 0;
  for (size_t i = 0; i < instances.size(); ++i) {
    EXPECT_LE(PlanCost(instances[i], beam[i].plan), PlanCost(instances[i], greedy[i].plan) + 1e-9);
    one_cost += PlanCost(instances[i], one[i].plan);
    many_cost += PlanCost(instances[i], many[i].plan);
  }
  EXPECT_LT(many_cost, one_cost);
}

TEST(PointerPolicyTest, SamplesByItsSeed) {
  const std::vector<Instance> instances = Generated(ProblemKind::kCvrp, 3);
  const auto policy = APolicy();
  const auto decode = [&](uint64_t seed) {
    return (*policy->Decode(instances,
                            {.method = DecodeMethod::kSample, .seed = seed, .stop = {}}))[2]
        .plan;
  };
  EXPECT_EQ(decode(1), decode(1));
  EXPECT_NE(decode(1), decode(2));
}

TEST(PointerPolicyTest, DecodesTheSameOnManyThreads) {
  const std::vector<Instance> instances = Generated(ProblemKind::kCvrp, 8);
  const auto policy = APolicy();
  const auto expected = *policy->Decode(instances, {});
  std::vector<int> same(4, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < same.size(); ++t) {
    threads.emplace_back([&, t] {
      const auto plans = *policy->Decode(instances, {});
      for (size_t i = 0; i < plans.size(); ++i)
        same[t] += plans[i].plan == expected[i].plan ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 8));
}

TEST(PointerPolicyTest, NamesWhatItWasNotMadeForByTheInstancesPlace) {
  const std::vector<Instance> instances = {AnInstance().Build(),
                                           AnInstance().ExplicitMatrix().Build()};
  const auto plans = APolicy()->Decode(instances, {});
  EXPECT_EQ(plans.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(std::string(plans.status().message()).rfind("instances[1].distance_matrix", 0), 0u);
}

TEST(PointerPolicyTest, SaysThatAFleetIsTooSmallForItsPlan) {
  const std::vector<Instance> instances = {
      AnInstance().WithCustomers(4).Demands({5, 5, 5, 5}).Capacity(5).Vehicles(3).Build()};
  const auto plans = APolicy()->Decode(instances, {});
  EXPECT_EQ(plans.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(plans.status().message()).find("needs 4 vehicles, there are 3"),
            std::string::npos);
}

TEST(PointerPolicyTest, NamesACustomerThatCannotBeReached) {
  const std::vector<Instance> instances = {
      AnInstance().At({{0, 0}, {50, 0}}).Windows({{0, 40}}, 1000).Build()};
  const auto plans = APolicy()->Decode(instances, {});
  EXPECT_EQ(plans.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(plans.status().message()).find("customer 1"), std::string::npos);
}

TEST(PointerPolicyTest, RefusesOptionsOutOfRange) {
  const std::vector<Instance> instances = {AnInstance().Build()};
  const auto policy = APolicy();
  EXPECT_EQ(policy->Decode(instances, {.width = 0, .stop = {}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  for (const double temperature : {0.0, -1.0, std::nan(""), 1e9}) {
    const auto plans = policy->Decode(
        instances, {.method = DecodeMethod::kSample, .temperature = temperature, .stop = {}});
    EXPECT_EQ(plans.status().code(), absl::StatusCode::kInvalidArgument) << temperature;
  }
}

TEST(PointerPolicyTest, TakesAnEmptyBatch) { EXPECT_TRUE(APolicy()->Decode({}, {})->empty()); }

class LoadPolicyTest : public testing::Test {
 protected:
  LoadPolicyTest() { Write(PointerNetwork(kSmall, TensorsOn({}), 7).parameters().Save()); }

  void Write(const std::string& weights) {
    card_.architecture = "ptrnet";
    card_.architecture_json = WritePointerNetworkOptions(kSmall);
    card_.kinds = {ProblemKind::kCvrp};
    card_.weights_sha256 = Sha256Hex(weights);
    EXPECT_TRUE(AtomicWriteFile(folder_ + "/weights.safetensors", weights).ok());
    WriteCard();
  }
  void WriteCard() {
    EXPECT_TRUE(AtomicWriteFile(folder_ + "/card.json", WriteModelCard(card_)).ok());
  }
  std::string Refused() {
    const auto policy = LoadPolicy(folder_, {});
    EXPECT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(policy.status().message());
  }

  const test::TempFolder temporary_;
  const std::string folder_ = temporary_.path();
  ModelCard card_;
};

TEST_F(LoadPolicyTest, GivesTheLikelihoodsOfTheNetworkThatWasSaved) {
  const auto loaded = LoadPolicy(folder_, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const std::vector<Instance> instances = Generated(ProblemKind::kCvrp, 5);
  const auto plans = *(*loaded)->Decode(instances, {});
  const auto expected = *APolicy(7)->Decode(instances, {});
  for (size_t i = 0; i < plans.size(); ++i) {
    EXPECT_EQ(plans[i].plan, expected[i].plan);
    EXPECT_EQ(plans[i].log_likelihood, expected[i].log_likelihood);  // bit for bit
  }
  EXPECT_EQ((*loaded)->info().input_features.size(), 8u);
  EXPECT_EQ((*loaded)->info().input_features.back(), "is_visited");
}

TEST_F(LoadPolicyTest, RefusesWeightsThatAreNotTheCards) {
  EXPECT_TRUE(AtomicWriteFile(folder_ + "/weights.safetensors", "other").ok());
  EXPECT_NE(Refused().find("SHA-256"), std::string::npos);
}

TEST_F(LoadPolicyTest, RefusesTruncatedWeights) {
  Write(PointerNetwork(kSmall, TensorsOn({}), 7).parameters().Save().substr(0, 5000));
  EXPECT_NE(Refused().find("weights.safetensors"), std::string::npos);
}

TEST_F(LoadPolicyTest, RefusesAnotherArchitecture) {
  card_.architecture = "gt";
  WriteCard();
  EXPECT_NE(Refused().find("architecture: got \"gt\""), std::string::npos);
}

TEST_F(LoadPolicyTest, RefusesSizesThatAreNotTheWeights) {
  card_.architecture_json = WritePointerNetworkOptions({.hidden = 24, .layers = 1, .dropout = 0});
  WriteCard();
  EXPECT_NE(Refused().find("embed.weight: got F32[16, 7], wanted F32[24, 7]"), std::string::npos);
}

TEST_F(LoadPolicyTest, SaysWhichFileIsMissing) {
  const auto policy = LoadPolicy(folder_ + "/none", {});
  EXPECT_EQ(policy.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(std::string(policy.status().message()).find("none/card.json"), std::string::npos);
}

}  // namespace
}  // namespace vrp
