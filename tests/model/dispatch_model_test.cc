// Tests that dispatch models are stored, loaded and refused.
#include "core/model/dispatch/dispatch_model.h"

#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/dispatch/learning/network_prizes.h"
#include "core/model/dispatch/dispatch_parameters.h"
#include "core/model/policy/policy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/dispatch/dispatch_testing.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using testing::HasSubstr;

constexpr float kShift = 0.25F;

class DispatchModelTest : public testing::Test {
 protected:
  DispatchModelTest() {
    settings_.hidden = {5, 4};
    settings_.features = {.draws = 2, .lookahead = 1, .scenario_iterations = 30};
    settings_.shift = kShift;
    settings_.sites = {"north", "south"};
    settings_.days_per_site = 3;
    settings_.first_seed = 7;
    network_.SetNormalisation(DispatchFeatures{1, 2, 3}, FilledWith(2));
  }
  static DispatchFeatures FilledWith(float value) {
    DispatchFeatures features;
    features.fill(value);
    return features;
  }
  ModelCard Card(const std::string& weights) const {
    ModelCard card;
    card.architecture = kDispatchArchitecture;
    card.architecture_json = WriteDispatchSettings(settings_);
    card.input_features = {kDispatchFeatures.begin(), kDispatchFeatures.end()};
    card.weights_sha256 = Sha256Hex(weights);
    return card;
  }
  std::string Weights() const {
    FlatParameters parameters(DispatchLayout(settings_.hidden), 0);
    CopyFromNetwork(network_, parameters.values());
    parameters.values().back() = kShift;
    return parameters.Save();
  }
  void Write(const ModelCard& card, const std::string& weights) {
    ASSERT_TRUE(AtomicWriteFile(folder_.File(kCardFile), WriteModelCard(card)).ok());
    ASSERT_TRUE(AtomicWriteFile(folder_.File(kWeightsFile), weights).ok());
  }
  absl::StatusOr<DispatchModel> Load() const {
    return DispatchModel::Load(folder_.path(), "models/a/versions/1");
  }

  const test::TempFolder folder_;
  DispatchSettings settings_;
  PrizeNetwork network_ = *PrizeNetwork::Create({5, 4}, 9);
};

TEST_F(DispatchModelTest, GivesThePrizesOfTheNetworkWithItsShift) {
  Write(Card(Weights()), Weights());
  const auto model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  const DispatchSite site = test::RandomSite(12, 3);
  DispatchState state = {.departure = 0, .later_departures = {20, 40}};
  for (NodeIndex node = 1; node < site.instance().num_nodes(); ++node) {
    state.requests.push_back(site.RequestOf(node, ""));
  }
  const auto sampler = std::make_shared<SiteSampler>(site, 10);
  network_.mutable_weights().back() += kShift;
  const NetworkPrizes expected(site, sampler, network_, settings_.features);
  EXPECT_EQ(*model->PrizesFor(site, sampler)->Prizes(state, {.max_iterations = 10}),
            *expected.Prizes(state, {.max_iterations = 10}));
}

TEST_F(DispatchModelTest, KeepsItsSettings) {
  Write(Card(Weights()), Weights());
  const auto model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(WriteDispatchSettings(model->settings()), WriteDispatchSettings(settings_));
  EXPECT_EQ(model->settings().sites, settings_.sites);
  EXPECT_EQ(model->settings().features.scenario_iterations, 30);
}

TEST_F(DispatchModelTest, RefusesAModelThatPlansRoutes) {
  const auto loaded = DispatchModel::Load("models/gt-mixed/5", "models/gt-mixed/versions/5");
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(loaded.status().message(),
            "models/gt-mixed/versions/5: is a model of the architecture gt, which plans routes; "
            "wanted a dispatch model, which `model: dispatch` trains");
}

TEST_F(DispatchModelTest, IsNoPolicyThatPlansRoutes) {
  Write(Card(Weights()), Weights());
  const auto policy = LoadPolicy(folder_.path(), DeviceId{});
  EXPECT_EQ(policy.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(policy.status().message()), HasSubstr("is a dispatch model"));
}

TEST_F(DispatchModelTest, RefusesOtherFeatures) {
  ModelCard card = Card(Weights());
  card.input_features.pop_back();
  Write(card, Weights());
  EXPECT_EQ(Load().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(DispatchModelTest, RefusesWeightsOfAnotherCard) {
  Write(Card("other"), Weights());
  EXPECT_EQ(Load().status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(DispatchModelTest, RefusesMalformedSettings) {
  for (const auto& [from, to, key] : {std::tuple{"[5,4]", "[5,3]", "layers.1.weight"},
                                      {"[5,4]", "[0]", "hidden"},
                                      {"[5,4]", "[4.5]", "hidden"},
                                      {"\"draws\":2", "\"draws\":-1", "draws"},
                                      {"\"draws\":2", "\"drafts\":2", "draws"},
                                      {"0.25", "\"a\"", "shift"}}) {
    ModelCard card = Card(Weights());
    card.architecture_json.replace(card.architecture_json.find(from), std::string(from).size(), to);
    Write(card, Weights());
    const auto model = Load();
    EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument) << to;
    EXPECT_THAT(std::string(model.status().message()), HasSubstr(key));
  }
}

}  // namespace
}  // namespace vrp
