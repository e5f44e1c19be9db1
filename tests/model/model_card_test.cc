#include "core/model/model_card.h"

#include "core/model/pointer_network_options.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

ModelCard ACard() {
  ModelCard card;
  card.architecture = "ptrnet";
  card.architecture_json = WritePointerNetworkOptions({});
  card.kinds = {ProblemKind::kCvrp, ProblemKind::kVrptw};
  card.input_features = {"x", "y"};
  card.parameters = 12;
  card.training_job = "trainingJobs/a";
  card.training_config = "name: a\n";
  card.steps = 34;
  card.validation_cost = 6.5;
  card.validation_reference = 8;
  card.created = absl::FromUnixSeconds(1'800'000'000);
  card.weights_sha256 = "00ff";
  return card;
}

TEST(ModelCardTest, ReadsBackWhatItWrote) {
  const auto card = ParseModelCard(WriteModelCard(ACard()), "card.json");
  ASSERT_TRUE(card.ok()) << card.status();
  EXPECT_EQ(WriteModelCard(*card), WriteModelCard(ACard()));
  EXPECT_EQ(card->kinds, ACard().kinds);
  EXPECT_EQ(card->created, ACard().created);
}

TEST(ModelCardTest, RefusesANewerSchemaByItsNumber) {
  nlohmann::json json = nlohmann::json::parse(WriteModelCard(ACard()));
  json["schema_version"] = 2;
  const auto card = ParseModelCard(json.dump(), "card.json");
  EXPECT_EQ(card.status().message(),
            "card.json: schema_version: got 2, wanted 1 (the card was written by a newer program)");
}

TEST(ModelCardTest, NamesEachKeyThatIsMissingOrOfAnotherType) {
  const nlohmann::json good = nlohmann::json::parse(WriteModelCard(ACard()));
  for (const auto& [key, value] : good.items()) {
    nlohmann::json missing = good;
    missing.erase(key);
    nlohmann::json wrong = good;
    wrong[key] = nlohmann::json::object();
    for (const nlohmann::json& bad : {missing, wrong}) {
      const auto card = ParseModelCard(bad.dump(), "card.json");
      EXPECT_EQ(card.status().code(), absl::StatusCode::kInvalidArgument) << key;
      EXPECT_NE(std::string(card.status().message()).find(key), std::string::npos) << card.status();
    }
  }
}

TEST(ModelCardTest, SurvivesEveryTruncation) {
  const std::string text = WriteModelCard(ACard());
  for (size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_FALSE(ParseModelCard(text.substr(0, length), "card.json").ok());
  }
}

TEST(PointerNetworkOptionsTest, ReadBackWhatWasWritten) {
  const PointerNetworkOptions options{.hidden = 64, .layers = 3, .dropout = 0.1, .logit_clip = 5};
  EXPECT_EQ(*ParsePointerNetworkOptions(WritePointerNetworkOptions(options), "card"), options);
}

TEST(PointerNetworkOptionsTest, AreRefusedOutOfRange) {
  for (const char* text : {"", "{}", "[1,2,3,4]", R"({"hidden":8,"layers":1,"dropout":0,"clip":1})",
                           R"({"hidden":4,"layers":1,"dropout":0,"logit_clip":1})",
                           R"({"hidden":12,"layers":1,"dropout":0,"logit_clip":1})",
                           R"({"hidden":1e9,"layers":1,"dropout":0,"logit_clip":1})",
                           R"({"hidden":8,"layers":-1,"dropout":0,"logit_clip":1})",
                           R"({"hidden":8,"layers":1,"dropout":1,"logit_clip":1})",
                           R"({"hidden":8,"layers":1,"dropout":0,"logit_clip":0})",
                           R"({"hidden":8,"layers":1,"dropout":0,"logit_clip":1e999})"}) {
    EXPECT_EQ(ParsePointerNetworkOptions(text, "card").status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace vrp
