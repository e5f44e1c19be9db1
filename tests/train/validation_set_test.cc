#include "core/train/run/validation_set.h"

#include <cmath>
#include <filesystem>
#include <iterator>

#include "core/base/file.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/generate/generators.h"
#include "core/search/build/construct.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"
#include "tests/train/fake_engine.h"

namespace vrp {
namespace {

class ValidationTest : public testing::Test {
 protected:
  ValidationTest() {
    config_.problem.customers = {7, 7};
    config_.validation.instances = 30;
    config_.validation.reference_iterations = 50;
  }
  absl::StatusOr<ValidationSet> Make() {
    return ValidationSet::Make(config_, NodeOrder::kAsGiven, instances_,
                               {.folder = folder_.path(), .pool = &pool_});
  }

  TrainingConfig config_;
  std::vector<Instance> instances_;
  const test::TempFolder folder_;
  CpuPool pool_{2};
  const std::unique_ptr<PolicyEngine> engine_ = test::MakeFakeEngine();
};

TEST_F(ValidationTest, ComparesGreedyToursWithNearestNeighbours) {
  const auto set = Make();
  ASSERT_TRUE(set.ok()) << set.status();
  const auto score = set->Evaluate(*engine_, true, nullptr, {});
  const auto instances = *GenerateInstances({.customers = 7, .seed = 4321}, 30);
  const auto found = engine_->Run(MakeNetworkBatch(instances, NodeOrder::kAsGiven), {});
  double reference = 0;
  double cost = 0;
  double gap = 0;
  for (size_t i = 0; i < 30; ++i) {
    const double nearest = PlanCost(instances[i], NearestNeighbourPlan(instances[i]));
    reference += nearest / 30;
    cost += found->costs[i] / 30;
    gap += (found->costs[i] / nearest - 1) / 30;
  }
  EXPECT_NEAR(set->reference(), reference, 1e-9);
  EXPECT_NEAR(score->cost, cost, 1e-9);
  EXPECT_NEAR(score->gap, gap, 1e-9);
  EXPECT_TRUE(std::isnan(score->accuracy));
}

TEST_F(ValidationTest, UsesTheSearchAsABetterReferenceAndForTheAccuracy) {
  const double nearest = Make()->reference();
  config_.validation.reference = Reference::kSearch;
  const auto set = Make();
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_LT(set->reference(), nearest);
  const auto score = set->Evaluate(*engine_, true, nullptr, {});
  EXPECT_GT(score->accuracy, 0);
  EXPECT_LT(score->accuracy, 1);
  EXPECT_TRUE(std::isnan(set->Evaluate(*engine_, false, nullptr, {})->accuracy));
}

TEST_F(ValidationTest, NamesTheConfiguredReference) {
  EXPECT_EQ(Make()->reference_name(), "nearest neighbour");
  config_.validation.reference = Reference::kSearch;
  EXPECT_EQ(ReferenceName(config_.validation), "search 50 iterations");
  config_.validation.reference = Reference::kFile;
  EXPECT_EQ(ReferenceName(config_.validation), "file's reference costs");
}

TEST_F(ValidationTest, WritesAScoreWithItsReference) {
  const auto set = Make();
  ASSERT_TRUE(set.ok()) << set.status();
  const std::string text = ScoreText({.cost = 2.5, .gap = 0.0325}, *set);
  EXPECT_EQ(text.substr(0, text.find("(mean")),
            "validation 2.5000, gap +3.25 % vs nearest neighbour ");
  EXPECT_EQ(ScoreText({.cost = 2.5, .gap = std::nan("")}, *set),
            "validation 2.5000 (no instance has a reference)");
}

TEST_F(ValidationTest, TakesInstancesAndReferencesFromAFile) {
  std::string text;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    std::string line = WriteJson(test::AnInstance().WithCustomers(4).Seed(seed).Build());
    line.pop_back();
    text += line + R"(,"ref_cost":)" + std::to_string(seed) + "}\n";
  }
  config_.validation.file = folder_.File("held_out.jsonl");
  config_.validation.reference = Reference::kFile;
  ASSERT_TRUE(AtomicWriteFile(config_.validation.file, text).ok());
  const auto set = Make();
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->size(), 3);
  EXPECT_EQ(set->reference(), 2);
  ASSERT_TRUE(AtomicWriteFile(config_.validation.file,
                              WriteJson(test::AnInstance().WithCustomers(4).Build()))
                  .ok());
  EXPECT_NE(std::string(Make().status().message()).find("instances[0].ref_cost: missing"),
            std::string::npos);
}

TEST_F(ValidationTest, HasNoGapIfTheReferenceDoesNotSupportTheProblem) {
  config_.problem.open_routes = 1;
  const auto set = Make();
  ASSERT_TRUE(set.ok()) << set.status();
  const auto score = set->Evaluate(*engine_, false, nullptr, {});
  ASSERT_TRUE(score.ok()) << score.status();
  EXPECT_GT(score->cost, 0);
  EXPECT_TRUE(std::isnan(set->reference()));
  EXPECT_TRUE(std::isnan(score->gap));
}

TEST_F(ValidationTest, StoresSearchReferencesOfProblemsWithAttributes) {
  config_.validation.reference = Reference::kSearch;
  for (double ProblemConfig::*chance :
       {&ProblemConfig::open_routes, &ProblemConfig::distance_limit, &ProblemConfig::backhauls}) {
    config_.problem.*chance = 1;
    const auto set = Make();
    ASSERT_TRUE(set.ok()) << set.status();
    const auto score = set->Evaluate(*engine_, true, nullptr, {});
    ASSERT_TRUE(score.ok()) << score.status();
    EXPECT_GT(score->gap, 0);
    EXPECT_GT(score->accuracy, 0);  // accuracy on the search's plans, which the masks allow
    EXPECT_LT(score->accuracy, 1);
    config_.problem.*chance = 0;
  }
  // There is one set for each attribute, which the next run reads.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 3);
}

}  // namespace
}  // namespace vrp
