// Tests that dispatch models are stored, loaded and refused.
#include "core/model/dispatch/dispatch_model.h"

#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/dispatch/learning/network_prizes.h"
#include "core/dispatch/learning/prize_mlp.h"
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
    settings_.network = PrizeMlpOptions{{5, 4}};
    settings_.features = {.draws = 2, .lookahead = 1, .scenario_iterations = 30};
    settings_.shift = kShift;
    settings_.sites = {"north", "south"};
    settings_.days_per_site = 3;
    settings_.first_seed = 7;
    network_->SetNormalisation(DispatchFeatures{1, 2, 3}, FilledWith(2));
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
    card.input_features = InputFeatures(settings_.network);
    card.weights_sha256 = Sha256Hex(weights);
    return card;
  }
  std::string Weights() const {
    FlatParameters parameters(DispatchLayout(settings_.network), 0);
    CopyFromNetwork(*network_, parameters.values());
    parameters.values().back() = kShift;
    return parameters.Save();
  }
  void Write(const ModelCard& card, const std::string& weights) {
    ASSERT_TRUE(AtomicWriteFile(folder_.File(kCardFile), WriteModelCard(card)).ok());
    ASSERT_TRUE(AtomicWriteFile(folder_.File(kWeightsFile), weights).ok());
  }
  void UseGraphTransformer() {
    settings_.network = PrizeTransformerOptions{.width = 16, .layers = 1, .heads = 2};
    network_ = *MakePrizeNetwork(settings_.network, 9);
    network_->SetNormalisation(DispatchFeatures{1, 2, 3}, FilledWith(2));
  }
  // Expects that `model` gives the prizes of network_ with the shift.
  void ExpectPrizesOfNetwork(const DispatchModel& model) const {
    const DispatchSite site = test::RandomSite(12, 3);
    DispatchState state = {.departure = 0, .later_departures = {20, 40}};
    for (NodeIndex node = 1; node < site.instance().num_nodes(); ++node) {
      state.requests.push_back(site.RequestOf(node, ""));
    }
    const auto sampler = std::make_shared<SiteSampler>(site, 10);
    const NetworkPrizes expected(site, sampler, {.network = network_, .shift = kShift},
                                 settings_.features);
    EXPECT_EQ(*model.PrizesFor(site, sampler)->Prizes(state, {.max_iterations = 10}),
              *expected.Prizes(state, {.max_iterations = 10}));
  }
  absl::StatusOr<DispatchModel> Load() const {
    return DispatchModel::Load(folder_.path(), "models/a/versions/1");
  }

  const test::TempFolder folder_;
  DispatchSettings settings_;
  std::shared_ptr<PrizeNetwork> network_ = *PrizeMlp::Create({5, 4}, 9);
};

TEST_F(DispatchModelTest, GivesThePrizesOfTheNetworkWithItsShift) {
  Write(Card(Weights()), Weights());
  const auto model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  ExpectPrizesOfNetwork(*model);
}

TEST_F(DispatchModelTest, GivesThePrizesOfAGraphTransformer) {
  UseGraphTransformer();
  Write(Card(Weights()), Weights());
  const auto model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->settings().network, settings_.network);
  EXPECT_THAT(model->card().input_features, testing::Contains("pair_saving"));
  ExpectPrizesOfNetwork(*model);
}

TEST_F(DispatchModelTest, LoadsACardWithoutTheNameOfItsEncoder) {
  ModelCard card = Card(Weights());
  const std::string encoder = "\"encoder\":\"mlp\",";
  const size_t at = card.architecture_json.find(encoder);
  ASSERT_NE(at, std::string::npos) << card.architecture_json;
  card.architecture_json.erase(at, encoder.size());
  Write(card, Weights());
  const auto model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  ExpectPrizesOfNetwork(*model);
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
                                      {"\"mlp\"", "\"linear\"", "encoder"},
                                      {"\"mlp\"", "\"gt\"", "encoder"},
                                      {"\"mlp\"", "\"graph_transformer\"", "width"},
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

TEST_F(DispatchModelTest, RefusesSizesThatAGraphTransformerCannotHave) {
  UseGraphTransformer();
  for (const auto& [from, to, error] :
       {std::tuple{"\"width\":16", "\"width\":24", "width: got 24, wanted a multiple of 16"},
        {"\"width\":16", "\"width\":8", "width: got \"8\", wanted an integer from 16"},
        {"\"heads\":2", "\"heads\":3", "heads: got 3, wanted a divisor of width, 16"},
        {"\"layers\":1", "\"layers\":25", "layers: got \"25\", wanted an integer from 1 to 24"}}) {
    ModelCard card = Card(Weights());
    card.architecture_json.replace(card.architecture_json.find(from), std::string(from).size(), to);
    Write(card, Weights());
    const auto model = Load();
    EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument) << to;
    EXPECT_THAT(std::string(model.status().message()), HasSubstr(error));
  }
}

}  // namespace
}  // namespace vrp
