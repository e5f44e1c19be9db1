#include "core/model/weights/model_card.h"

#include <cmath>
#include <limits>

#include "core/model/pointer_network/pointer_architecture.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/paths.h"

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
  card.validation_gap = -0.1875;
  card.reference = "nearest neighbour";
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
  EXPECT_EQ(card->validation_gap, -0.1875);
  EXPECT_EQ(card->reference, "nearest neighbour");
}

TEST(ModelCardTest, KeepsAnUnknownGap) {
  ModelCard card = ACard();
  card.validation_gap = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(ParseModelCard(WriteModelCard(card), "card.json")->validation_gap));
}

TEST(ModelCardTest, ReadsBackEvaluationsAndAllowsNone) {
  ModelCard card = ACard();
  const double none = std::numeric_limits<double>::quiet_NaN();
  card.evaluations = {{.data = "set.jsonl",
                       .mode = "greedy",
                       .instances = 1000,
                       .mean_cost = 6.4,
                       .standard_error = 0.01,
                       .reference = "search 1 s",
                       .mean_gap = 0.03,
                       .gap_standard_error = 0.001,
                       .instances_per_second = 2500,
                       .date = absl::FromUnixSeconds(1'800'000'001)},
                      {.data = "b", .mode = "sample 16", .mean_gap = none}};
  card.evaluations[1].date = absl::FromUnixSeconds(1);
  const auto read = ParseModelCard(WriteModelCard(card), "card.json");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->evaluations.size(), 2u);
  EXPECT_EQ(read->evaluations[0].mean_gap, 0.03);
  EXPECT_EQ(read->evaluations[0].date, card.evaluations[0].date);
  EXPECT_TRUE(std::isnan(read->evaluations[1].mean_gap));
  EXPECT_EQ(WriteModelCard(*read), WriteModelCard(card));

  // Cards of version 0.1.0 have no evaluations.
  EXPECT_EQ(WriteModelCard(ACard()).find("evaluations"), std::string::npos);
  EXPECT_TRUE(ParseModelCard(WriteModelCard(ACard()), "card.json")->evaluations.empty());

  nlohmann::json json = nlohmann::json::parse(WriteModelCard(card));
  json["evaluations"][1].erase("mode");
  EXPECT_EQ(ParseModelCard(json.dump(), "card.json").status().message(),
            "card.json: evaluations[1]: mode: got nothing, wanted a string");
}

TEST(ModelCardTest, RefusesANewerSchema) {
  nlohmann::json json = nlohmann::json::parse(WriteModelCard(ACard()));
  json["schema_version"] = 3;
  const auto card = ParseModelCard(json.dump(), "card.json");
  EXPECT_EQ(
      card.status().message(),
      "card.json: schema_version: got 3, wanted 1 to 2 (the card was written by a newer program: "
      "use that one, or train the model again)");
}

TEST(ModelCardTest, ReadsACardOfSchema1) {
  const absl::StatusOr<ModelCard> card =
      ParseModelCard(test::ReadData("state/card_v1.json"), "card_v1.json");
  ASSERT_TRUE(card.ok()) << card.status();
  EXPECT_EQ(card->architecture, "gt");
  EXPECT_EQ(card->parameters, 4008);
  EXPECT_EQ(card->steps, 6);
  EXPECT_EQ(card->kinds, std::vector<ProblemKind>{ProblemKind::kCvrp});
  EXPECT_TRUE(card->evaluations.empty());
  EXPECT_TRUE(std::isnan(card->validation_gap)) << "schema 1 has a ratio of means, not a mean gap";
  EXPECT_EQ(card->reference, "");
  EXPECT_GT(card->validation_reference, 0);
}

TEST(ModelCardTest, ReadsACardOfSchema2) {
  const absl::StatusOr<ModelCard> card =
      ParseModelCard(test::ReadData("state/card_v2.json"), "card_v2.json");
  ASSERT_TRUE(card.ok()) << card.status();
  EXPECT_EQ(card->reference, "nearest neighbour");
  EXPECT_TRUE(std::isfinite(card->validation_gap));
  ASSERT_EQ(card->evaluations.size(), 1u);
  EXPECT_EQ(card->evaluations[0].reference, "search 50 ms");
}

TEST(ModelCardTest, ConvertsReferencesOfSchema1) {
  ModelCard card = ACard();
  for (const char* word : {"file", "search 1.5s", "search soon", ""}) {
    CardEvaluation& row = card.evaluations.emplace_back();
    row.reference = word;
    row.date = absl::UnixEpoch();
  }
  nlohmann::json json = nlohmann::json::parse(WriteModelCard(card));
  json["schema_version"] = 1;
  const auto read = ParseModelCard(json.dump(), "card.json");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->evaluations[0].reference, "file's reference costs");
  EXPECT_EQ(read->evaluations[1].reference, "search 1.5 s");
  EXPECT_EQ(read->evaluations[2].reference, "search soon");
  EXPECT_EQ(read->evaluations[3].reference, "");
}

TEST(ModelCardTest, NamesEachMissingOrMistypedKey) {
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

TEST(ModelCardTest, RefusesEveryTruncation) {
  const std::string text = WriteModelCard(ACard());
  for (size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_FALSE(ParseModelCard(text.substr(0, length), "card.json").ok());
  }
}

TEST(PointerNetworkOptionsTest, ReadBackWhatWasWritten) {
  const PointerNetworkOptions options{.hidden = 64, .layers = 3, .dropout = 0.1, .logit_clip = 5};
  EXPECT_EQ(*ParsePointerNetworkOptions(WritePointerNetworkOptions(options), "card"), options);
}

TEST(PointerNetworkOptionsTest, AreRefusedIfMalformedOrOutOfRange) {
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
