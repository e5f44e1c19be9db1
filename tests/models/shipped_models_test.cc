// Tests that each model in models/ loads and is as good on new instances as its card claims.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/problem/generate/generators.h"
#include "core/registry/model_folder.h"
#include "core/search/search.h"
#include "core/solve/evaluation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint64_t kFreshSeed = 20261121;  // used by no card's set and no configuration

std::string ModelsFolder() { return Concat(std::getenv("VRP_SOURCE_DIR"), "/models"); }

// A claim of a card that is checked on fresh instances. Gaps to good plans vary far less between
// instances than costs do.
struct Claim {
  const char* mode;  // name in the card
  EvaluationMode evaluation_mode;
  int32_t customers;
  int64_t instances;  // number of fresh instances
};
const Claim kClaims[] = {
    {"greedy", {}, 20, 600},
    {"greedy", {}, 50, 200},
    {"greedy", {}, 100, 80},
    {"multi_start 8",
     {.method = DecodeMethod::kMultiStart, .width = 0, .augmentations = 8},
     20,
     50},
};

bool Matches(const Claim& claim, const CardEvaluation& card) {
  return card.mode == claim.mode && card.data.starts_with(Concat("cvrp", claim.customers, "_"));
}

// Tolerance for gaps, relative: our reference costs exceed those of the cards, whose searches ran
// longer.
constexpr double kReferenceExcess = 0.003;
// Iterations of a reference search per squared number of customers.
constexpr int64_t kIterations = 3;

// Returns instances with reference costs. The searches have a fixed amount of work, so that the
// costs are equal on all machines.
std::vector<Instance> FreshInstances(const Claim& claim) {
  // Larger instances need more work for the same quality.
  const int64_t iterations = kIterations * claim.customers * claim.customers;
  std::vector<std::optional<Instance>> generated(static_cast<size_t>(claim.instances));
  CpuPool(2).ParallelFor(claim.instances, [&](int64_t i) {
    const GeneratorOptions options{.customers = claim.customers, .seed = kFreshSeed};
    InstanceData data = GenerateInstanceData(options, i);
    const auto found =
        Search(*Instance::Create(data), {.stop = {}, .max_iterations = iterations, .initial = {}});
    data.reference_cost = found->cost;
    generated[static_cast<size_t>(i)] = *Instance::Create(std::move(data));
  });
  std::vector<Instance> instances;
  for (auto& instance : generated) instances.push_back(*std::move(instance));
  return instances;
}

EvaluationRow Evaluate(const ModelVersion& version, const EvaluationMode& mode,
                       std::vector<Instance> instances) {
  auto policy = LoadPolicy(version.directory, DeviceId{});
  EXPECT_TRUE(policy.ok()) << policy.status();
  auto evaluation = Evaluation::Create(std::shared_ptr<Policy>(*std::move(policy)),
                                       std::move(instances), {.modes = {mode}, .threads = 2});
  EXPECT_TRUE(evaluation.ok()) << evaluation.status();
  while (!(*evaluation)->finished()) {
    const absl::Status status = (*evaluation)->Step();  // the checker checks every plan
    EXPECT_TRUE(status.ok()) << status;
    if (!status.ok()) break;
  }
  return (*evaluation)->Rows().front();
}

TEST(ShippedModelsTest, AreAllUsable) {
  const ModelFolderScan scan = ScanModels(ModelsFolder());
  EXPECT_THAT(scan.problems, IsEmpty());
  EXPECT_THAT(scan.versions, Not(IsEmpty()));
  for (const ModelVersion& version : scan.versions) {
    const absl::Status status = CheckWeights(version.directory, version.card);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(ShippedModelsTest, StateTheirConfigurationAndTheirQuality) {
  for (const ModelVersion& version : ScanModels(ModelsFolder()).versions) {
    EXPECT_THAT(version.card.training_config, HasSubstr("training:")) << version.name;
    if (version.card.architecture == kDispatchArchitecture ||
        version.card.architecture == kEstimateArchitecture) {
      EXPECT_FALSE(std::isnan(version.card.validation_gap)) << version.name;
      continue;
    }
    const bool has_claim =
        std::any_of(version.card.evaluations.begin(), version.card.evaluations.end(),
                    [](const CardEvaluation& card) { return Matches(kClaims[0], card); });
    EXPECT_TRUE(has_claim) << version.name
                           << ": the card has no greedy result that ClaimTest checks";
  }
}

class ClaimTest : public testing::TestWithParam<Claim> {};

TEST_P(ClaimTest, HoldsOnFreshInstancesToWithinThreeStandardErrors) {
  const Claim& claim = GetParam();
  const std::vector<Instance> instances = FreshInstances(claim);
  int compared = 0;
  for (const ModelVersion& version : ScanModels(ModelsFolder()).versions) {
    for (const CardEvaluation& claimed : version.card.evaluations) {
      if (!Matches(claim, claimed)) continue;
      const EvaluationRow fresh = Evaluate(version, claim.evaluation_mode, instances);
      const double error = std::hypot(fresh.gap_standard_error, claimed.gap_standard_error);
      EXPECT_NEAR(fresh.mean_gap, claimed.mean_gap, 3 * error + kReferenceExcess)
          << version.name << " on " << claimed.data;
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Claims, ClaimTest, testing::ValuesIn(kClaims), [](const auto& param_info) {
  std::string name = Concat(param_info.param.mode, "_", param_info.param.customers);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

}  // namespace
}  // namespace vrp
