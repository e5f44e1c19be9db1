#include <string>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/make_engine.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/policy/policy.h"
#include "core/model/weights/model_card.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

struct ArchitectureCase {
  std::string name;
  std::string sizes;
  std::string other_sizes;
  std::string expected_error;  // the error if weights of `sizes` are loaded into `other_sizes`
};

const ArchitectureCase kArchitectures[] = {
    {"ptrnet", WritePointerNetworkOptions({.hidden = 16, .layers = 1, .dropout = 0}),
     WritePointerNetworkOptions({.hidden = 32, .layers = 1, .dropout = 0}),
     "embed.weight: got F32[16, 7], wanted F32[32, 7]"},
    {"gt",
     WriteGraphTransformerOptions({.hidden = 16, .heads = 2, .feed_forward = 32, .layers = 1}),
     WriteGraphTransformerOptions({.hidden = 32, .heads = 2, .feed_forward = 32, .layers = 1}),
     "embed.node.weight: got F32[16, 12], wanted F32[32, 12]"},
};

class LoadPolicyTest : public testing::TestWithParam<ArchitectureCase> {
 protected:
  LoadPolicyTest() {
    engine_ = *MakeEngine({.architecture = GetParam().name,
                           .architecture_json = GetParam().sizes,
                           .device = {},
                           .seed = 7,
                           .options = {}});
    card_.architecture = GetParam().name;
    card_.architecture_json = GetParam().sizes;
    card_.kinds = {ProblemKind::kCvrp};
    Write(engine_->parameters().Save());
  }

  void Write(const std::string& weights) {
    card_.weights_sha256 = Sha256Hex(weights);
    EXPECT_TRUE(AtomicWriteFile(folder_ + "/weights.safetensors", weights).ok());
    WriteCard();
  }
  void WriteCard() {
    EXPECT_TRUE(AtomicWriteFile(folder_ + "/card.json", WriteModelCard(card_)).ok());
  }
  std::string RefusalMessage() {
    const auto policy = LoadPolicy(folder_, {});
    EXPECT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(policy.status().message());
  }

  const test::TempFolder temporary_;
  const std::string folder_ = temporary_.path();
  std::unique_ptr<PolicyEngine> engine_;
  ModelCard card_;
};

TEST_P(LoadPolicyTest, ReturnsThePlansAndLikelihoodsOfTheSavedNetwork) {
  const auto loaded = LoadPolicy(folder_, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const std::vector<Instance> instances = *GenerateInstances({.customers = 12}, 5);
  const auto plans = (*loaded)->Decode(instances, {});
  ASSERT_TRUE(plans.ok()) << plans.status();
  const NetworkBatch batch = MakeNetworkBatch(instances, engine_->batch_form());
  const Trajectories expected = *engine_->Run(batch, {});
  for (size_t i = 0; i < instances.size(); ++i) {
    EXPECT_EQ((*plans)[i].plan, ChoicesToPlan(batch, static_cast<int32_t>(i),
                                              expected.Choices(static_cast<int64_t>(i))));
    EXPECT_EQ((*plans)[i].log_likelihood, expected.log_likelihoods[i]);  // bitwise equal
  }
  EXPECT_EQ((*loaded)->info().parameters, engine_->parameters().size());
  EXPECT_EQ((*loaded)->info().architecture, GetParam().name);
}

TEST_P(LoadPolicyTest, ListsTheInputs) {
  const auto features = (*LoadPolicy(folder_, {}))->info().input_features;
  EXPECT_EQ(features.size(), GetParam().name == "gt" ? 12u : 8u);
  EXPECT_EQ(features.back(), GetParam().name == "gt" ? "is_depot" : "is_visited");
}

TEST_P(LoadPolicyTest, RefusesWeightsWithAnotherHash) {
  EXPECT_TRUE(AtomicWriteFile(folder_ + "/weights.safetensors", "other").ok());
  EXPECT_NE(RefusalMessage().find("SHA-256"), std::string::npos);
}

TEST_P(LoadPolicyTest, RefusesTruncatedWeights) {
  Write(engine_->parameters().Save().substr(0, 5000));
  EXPECT_NE(RefusalMessage().find("weights.safetensors"), std::string::npos);
}

TEST_P(LoadPolicyTest, RefusesAnotherArchitecture) {
  card_.architecture = "transformer";
  WriteCard();
  EXPECT_NE(RefusalMessage().find("card.json: architecture: got \"transformer\", wanted"),
            std::string::npos);
}

TEST_P(LoadPolicyTest, RefusesSizesThatDoNotFitTheWeights) {
  card_.architecture_json = GetParam().other_sizes;
  WriteCard();
  EXPECT_NE(RefusalMessage().find(GetParam().expected_error), std::string::npos)
      << RefusalMessage();
}

TEST_P(LoadPolicyTest, NamesTheMissingFile) {
  const auto policy = LoadPolicy(folder_ + "/none", {});
  EXPECT_EQ(policy.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(std::string(policy.status().message()).find("none/card.json"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Architectures, LoadPolicyTest, testing::ValuesIn(kArchitectures),
                         [](const auto& test) { return test.param.name; });

TEST(MakeEngineTest, DrawsEqualWeightsForEqualSeeds) {
  for (const ArchitectureCase& architecture : kArchitectures) {
    const auto drawn = [&](uint64_t seed) {
      return (*MakeEngine({.architecture = architecture.name,
                           .architecture_json = architecture.sizes,
                           .device = {},
                           .seed = seed,
                           .options = {}}))
          ->parameters()
          .Save();
    };
    EXPECT_EQ(drawn(3), drawn(3));
    EXPECT_NE(drawn(3), drawn(4));
  }
}

}  // namespace
}  // namespace vrp
