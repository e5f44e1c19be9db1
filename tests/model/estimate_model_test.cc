// Tests estimate models on disk and what they answer.
#include "core/model/estimate/estimate_model.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/model/estimate/subset_estimates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr EstimateNetworkOptions kSmall = {.width = 16, .layers = 1, .heads = 2, .hidden = 4};

EstimateStatistics Statistics() {
  EstimateStatistics statistics;
  statistics.deviations.fill(1);
  for (int32_t k = 0; k < kLayoutFeatures; ++k) {
    statistics.layouts.factor[k * kLayoutFeatures + k] = 1;
  }
  for (int32_t k = 0; k < kEstimateGlobalCount; ++k) {
    statistics.times.factor[k * kEstimateGlobalCount + k] = 1;
  }
  statistics.layouts.limit = 100;
  statistics.times.limit = 100;
  statistics.target_means = {-0.1F, 0};
  statistics.target_deviations = {0.01F, 0.1F};
  statistics.interval_factors = {2, 1};
  return statistics;
}

class EstimateModelTest : public testing::Test {
 protected:
  EstimateModelTest() {
    card_.architecture = kEstimateArchitecture;
    card_.input_features = EstimateInputFeatures();
  }
  // Writes a model whose network answers 0, so that estimates are the quick plan's cost less 10 %.
  void Write(const EstimateStatistics& statistics) {
    FlatParameters parameters(EstimateLayout(kSmall), 1);
    PutStatistics(statistics, parameters.values());
    const std::string weights = parameters.Save();
    card_.architecture_json = WriteEstimateSettings(settings_);
    card_.parameters = parameters.size();
    card_.weights_sha256 = Sha256Hex(weights);
    ASSERT_TRUE(AtomicWriteFile(root_ + "/weights.safetensors", weights).ok());
    ASSERT_TRUE(AtomicWriteFile(root_ + "/card.json", WriteModelCard(card_)).ok());
  }
  absl::StatusOr<EstimateModel> Load() { return EstimateModel::Load(root_, "models/e"); }
  CostEstimate Estimate(const Instance& instance) {
    const auto model = Load();
    EXPECT_TRUE(model.ok()) << model.status();
    EstimateScratch scratch;
    auto estimate = model->Estimate(instance, scratch);
    EXPECT_TRUE(estimate.ok()) << estimate.status();
    return *estimate;
  }

  const test::TempFolder folder_;
  const std::string root_ = folder_.path();
  EstimateSettings settings_ = {.network = kSmall,
                                .min_customers = 2,
                                .max_customers = 20,
                                .windows = 0.5,
                                .instances = 1,
                                .coverage = 0.9};
  ModelCard card_;
};

TEST_F(EstimateModelTest, CorrectsTheQuickPlan) {
  Write(Statistics());
  const CostEstimate estimate = Estimate(test::OnALine().Build());
  EXPECT_NEAR(estimate.cost, 60 * std::exp(-0.1), 1e-3);
  EXPECT_NEAR(estimate.cost_low, estimate.cost * std::exp(-0.02), 1e-3);
  EXPECT_NEAR(estimate.cost_high, estimate.cost * std::exp(0.02), 1e-3);
  EXPECT_NEAR(estimate.routes, 1, 1e-5);
  EXPECT_THAT(estimate.outside, IsEmpty());
}

TEST_F(EstimateModelTest, AppliesTheCorrectionsOfTheValidation) {
  EstimateStatistics statistics = Statistics();
  statistics.corrections = {0.05F, 0.01F, 0.2F, 0};
  Write(statistics);
  EXPECT_NEAR(Estimate(test::OnALine().Build()).cost,
              60 * std::exp(-0.1 - 0.05 - 0.01 * std::log(3.0)), 1e-3);
  EXPECT_NEAR(Estimate(*Instance::Create(test::LineWithWindows())).cost, 60 * std::exp(-0.3), 1e-3);
}

TEST_F(EstimateModelTest, SaysWhatIsOutside) {
  Write(Statistics());
  EXPECT_THAT(Estimate(test::AnInstance().WithCustomers(21).Build()).outside,
              ElementsAre(OutsideReason::kSize));
  EXPECT_THAT(Estimate(test::AnInstance().WithCustomers(1).Build()).outside,
              ElementsAre(OutsideReason::kSize));
  EXPECT_THAT(
      Estimate(test::AnInstance().WithCustomers(15).Capacity(1).Vehicles(3).Build()).outside,
      ElementsAre(OutsideReason::kFleet));
  settings_.windows = 0;
  Write(Statistics());
  EXPECT_THAT(Estimate(*Instance::Create(test::LineWithWindows())).outside,
              ElementsAre(OutsideReason::kWindows));
}

TEST_F(EstimateModelTest, MeasuresTheDistanceOfLayouts) {
  EstimateStatistics statistics = Statistics();
  statistics.layouts.limit = 1e-3F;
  statistics.times.limit = 1e-3F;
  Write(statistics);
  const CostEstimate plain = Estimate(test::OnALine().Build());
  EXPECT_THAT(plain.outside, ElementsAre(OutsideReason::kLayout));
  EXPECT_GT(plain.layout_distance, 1);
  EXPECT_THAT(Estimate(*Instance::Create(test::LineWithWindows())).outside,
              ElementsAre(OutsideReason::kWindows, OutsideReason::kLayout));
}

TEST_F(EstimateModelTest, MovesASubsetByWhatItsCustomerAdds) {
  const Instance instance = test::AnInstance().WithCustomers(9).Build();
  const std::vector<std::vector<NodeIndex>> subsets = {
      {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6}, {7, 1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6, 8}, {9, 8}};
  const auto estimates_of = [&] {
    const auto model = Load();
    EXPECT_TRUE(model.ok()) << model.status();
    SubsetEstimates estimates(*model, instance, subsets);
    EstimateScratch scratch;
    for (int64_t i = 0; i < 5; ++i) estimates.Estimate(i, scratch);
    AddedCustomer added;
    for (int64_t b = 0; b < estimates.bases(); ++b) estimates.Compare(b, added);
    estimates.Finish();
    for (const absl::Status& status : estimates.statuses()) EXPECT_TRUE(status.ok()) << status;
    return estimates.estimates();
  };
  EstimateStatistics statistics = Statistics();
  Write(statistics);
  const std::vector<CostEstimate> apart = estimates_of();
  // Each customer adds as much as one of the base costs by its quick plan.
  statistics.added[0] = 1;
  Write(statistics);
  const std::vector<CostEstimate> together = estimates_of();
  EXPECT_EQ(together[0].cost, apart[0].cost);
  EXPECT_EQ(together[4].cost, apart[4].cost);
  const double unit = apart[0].cost * std::exp(0.1) / 5;
  EXPECT_NEAR(together[1].cost, apart[0].cost + unit, 1e-4);
  EXPECT_NEAR(together[2].cost, apart[0].cost + unit, 1e-4);
  EXPECT_NEAR(together[1].cost_low / together[1].cost, apart[1].cost_low / apart[1].cost, 1e-9);
  // The third one keeps most of its base's move.
  const double second_unit = apart[1].cost * std::exp(0.1) / 6;
  const double move =
      0.9 * (together[1].cost - apart[1].cost) + second_unit - (apart[3].cost - apart[1].cost);
  EXPECT_NEAR(together[3].cost, apart[3].cost + move, 1e-4);
}

TEST_F(EstimateModelTest, CostsNothingAtTheDepot) {
  Write(Statistics());
  const CostEstimate estimate = Estimate(test::AnInstance().At({{1, 1}, {1, 1}, {1, 1}}).Build());
  EXPECT_EQ(estimate.cost, 0);
  EXPECT_EQ(estimate.routes_high, 1);
  EXPECT_THAT(estimate.outside, ElementsAre(OutsideReason::kLayout));
}

TEST_F(EstimateModelTest, RefusesModelsOfAnotherKind) {
  Write(Statistics());
  card_.architecture = kDispatchArchitecture;
  ASSERT_TRUE(AtomicWriteFile(root_ + "/card.json", WriteModelCard(card_)).ok());
  const auto model = Load();
  EXPECT_EQ(model.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(model.status().message(),
              HasSubstr("models/e: is a model of the architecture dispatch"));
}

TEST_F(EstimateModelTest, RefusesOtherFeatures) {
  card_.input_features.pop_back();
  Write(Statistics());
  EXPECT_THAT(Load().status().message(), HasSubstr("reads other features"));
}

TEST_F(EstimateModelTest, RefusesDamagedSettingsAndWeights) {
  Write(Statistics());
  card_.architecture_json = R"({"width": 17})";
  ASSERT_TRUE(AtomicWriteFile(root_ + "/card.json", WriteModelCard(card_)).ok());
  EXPECT_THAT(Load().status().message(), HasSubstr("architecture_json."));
  Write(Statistics());
  ASSERT_TRUE(AtomicWriteFile(root_ + "/weights.safetensors", "x").ok());
  EXPECT_EQ(Load().status().code(), absl::StatusCode::kDataLoss);
}

TEST(EstimateSettingsTest, ReadsBack) {
  const EstimateSettings settings = {.network = {.width = 48, .layers = 3, .heads = 6, .hidden = 9},
                                     .min_customers = 5,
                                     .max_customers = 77,
                                     .windows = 0.25,
                                     .instances = 123,
                                     .first_seed = 8,
                                     .labels = "search",
                                     .coverage = 0.8,
                                     .error = 0.0125,
                                     .error_with_windows = 0.03};
  const std::string text = WriteEstimateSettings(settings);
  const auto read = ParseEstimateSettings(text, "card.json");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(WriteEstimateSettings(*read), text);
  EXPECT_EQ(read->network, settings.network);
}

}  // namespace
}  // namespace vrp
