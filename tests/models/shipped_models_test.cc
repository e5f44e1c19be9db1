// The weights in models/: each loads, and plans as well on fresh instances as its card says.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/problem/generators.h"
#include "core/registry/model_folder.h"
#include "core/solve/evaluation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint64_t kFreshSeed = 20261121;  // no card's set and no configuration has it

std::string ModelsFolder() { return Concat(std::getenv("VRP_SOURCE_DIR"), "/models"); }

EvaluationRow GreedyOn(const ModelVersion& version, int32_t customers, int64_t count) {
  auto policy = LoadPolicy(version.directory, DeviceId{});
  EXPECT_TRUE(policy.ok()) << policy.status();
  auto instances = GenerateInstances({.customers = customers, .seed = kFreshSeed}, count);
  auto evaluation = Evaluation::Create(std::shared_ptr<Policy>(*std::move(policy)),
                                       *std::move(instances), {.threads = 2});
  EXPECT_TRUE(evaluation.ok()) << evaluation.status();
  while (!(*evaluation)->finished()) {
    const absl::Status status = (*evaluation)->Step();  // the checker judges every plan
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
    EXPECT_THAT(version.card.evaluations, Not(IsEmpty())) << version.name;
  }
}

TEST(ShippedModelsTest, PlanFreshInstancesAsWellAsTheirCardsSay) {
  for (const ModelVersion& version : ScanModels(ModelsFolder()).versions) {
    int compared = 0;
    for (const CardEvaluation& claimed : version.card.evaluations) {
      if (claimed.mode != "greedy" || !claimed.data.starts_with("cvrp")) continue;
      const int customers = std::atoi(claimed.data.c_str() + 4);
      const EvaluationRow fresh = GreedyOn(version, customers, 100);
      const double error = std::hypot(fresh.standard_error, claimed.standard_error);
      EXPECT_NEAR(fresh.mean_cost, claimed.mean_cost, 5 * error)
          << version.name << " on " << claimed.data;
      ++compared;
    }
    EXPECT_GT(compared, 0) << version.name;
  }
}

}  // namespace
}  // namespace vrp
