// Tests the configurations of dispatch models.
#include <ostream>
#include <string>

#include "core/train/config/data_files.h"
#include "core/train/config/log_days.h"
#include "core/train/config/training_config.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/train/config_text.h"

namespace vrp {
namespace {

using test::ExpectReadsBack;
using test::MessageOf;
using test::ReadText;
using testing::HasSubstr;

constexpr char kMinimal[] =
    "name: waves\nmodel: dispatch\ndispatch: {sites: [a.txt, datasets/b]}\n";

TEST(DispatchConfigTest, HasItsOwnDefaults) {
  const auto config = ParseTrainingConfig(kMinimal, "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_TRUE(config->dispatch.has_value());
  EXPECT_EQ(config->ArchitectureName(), "dispatch");
  EXPECT_EQ(config->dispatch->sites, (std::vector<std::string>{"a.txt", "datasets/b"}));
  EXPECT_EQ(config->dispatch->hidden, (std::vector<int64_t>{16, 16}));
  EXPECT_EQ(config->learning_rate, 0.02);
  EXPECT_EQ(config->schedule, Schedule::kCosine);
  EXPECT_EQ(config->batch_size, 12);
}

TEST(DispatchConfigTest, IsTheShippedOneBesideNameAndSites) {
  auto shipped = ParseTrainingConfig(ReadText("configs/dispatch.yaml"), "dispatch.yaml");
  ASSERT_TRUE(shipped.ok()) << shipped.status();
  EXPECT_EQ(shipped->dispatch->sites.size(), 15u);
  auto config = ParseTrainingConfig(kMinimal, "f.yaml");
  config->name = shipped->name;
  config->source = shipped->source;
  config->dispatch->sites = shipped->dispatch->sites;
  EXPECT_EQ(*config, *shipped);
}

TEST(DispatchConfigTest, ResolvesToTheKeysThatItReads) {
  ExpectReadsBack(kMinimal, {});
  ExpectReadsBack(kMinimal, {"dispatch.encoder=linear", "validation.shifts=[0]"});
  const auto resolved = ResolveTrainingConfig(kMinimal, "f.yaml");
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->settings.at("dispatch.perturbations"), "8");
  EXPECT_EQ(resolved->settings.at("validation.days"), "15");
  for (const auto& [key, value] : resolved->settings) {
    EXPECT_FALSE(key.starts_with("problem.") || key.starts_with("network.") ||
                 key.starts_with("reinforce.") || key.starts_with("loader."))
        << key;
  }
  EXPECT_FALSE(resolved->settings.contains("training.amp"));
  EXPECT_FALSE(resolved->settings.contains("validation.instances"));
}

TEST(DispatchConfigTest, NamesItsSites) {
  const auto config = ParseTrainingConfig(kMinimal, "f.yaml");
  const std::vector<NamedData> named = DataReadBy(*config);
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[1].key, "dispatch.sites");
  EXPECT_EQ(named[1].name, "datasets/b");
}

TEST(DispatchConfigTest, ReadsARequestLogOfOneSite) {
  const auto config = ParseTrainingConfig(
      "name: a\nmodel: dispatch\ndispatch: {sites: a.txt, log: datasets/history, days: 9}\n"
      "validation: {days: 3, seed: 4321}\n",
      "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->dispatch->log, "datasets/history");
  EXPECT_EQ(config->dispatch->log_days, 9);
  EXPECT_EQ(DataReadBy(*config).back().key, "dispatch.log");
  EXPECT_EQ(*TrainingDaysOf(*config->dispatch, 30), 9);
  EXPECT_EQ(TrainingDaysOf(*config->dispatch, 11).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(DispatchConfigTest, TrainsOnAllDaysOfALogBeforeThoseOfTheValidation) {
  DispatchConfig config;
  config.log = "log.jsonl";
  config.validation_days = 3;
  EXPECT_EQ(*TrainingDaysOf(config, 30), 27);
  EXPECT_EQ(*TrainingDaysOf(config, 5), 2);
  EXPECT_EQ(std::string(TrainingDaysOf(config, 4).status().message()),
            "has 4 days, wanted at least 5: 2 to train on (dispatch.days) and 3 to validate "
            "(validation.days); lower these, or give a longer log");
}

TEST(DispatchConfigTest, RefusesSettingsThatALogLeavesWithoutEffect) {
  const auto error = [](const ConfigOverrides& settings) {
    return MessageOf(ParseTrainingConfig("name: a\nmodel: dispatch\ndispatch: {sites: a.txt}\n",
                                         "f.yaml", settings));
  };
  const std::string none =
      "wanted none with dispatch.log, whose days are used instead of drawn ones";
  EXPECT_EQ(error({"dispatch.log=l", "dispatch.days_per_site=9"}),
            "--set: dispatch.days_per_site: got \"9\", " + none);
  EXPECT_EQ(error({"dispatch.log=l", "dispatch.first_seed=9"}),
            "--set: dispatch.first_seed: got \"9\", " + none);
  EXPECT_EQ(error({"dispatch.log=l", "dispatch.requests_per_epoch=9"}),
            "--set: dispatch.requests_per_epoch: got \"9\", " + none);
  EXPECT_EQ(error({"dispatch.log=l", "validation.seed=9"}),
            "--set: validation.seed: got \"9\", " + none);
  EXPECT_EQ(error({"dispatch.days=9"}),
            "--set: dispatch.days: got \"9\", wanted none without dispatch.log");
  EXPECT_EQ(
      error({"dispatch.log=l", "dispatch.days=1"}),
      "--set: dispatch.days: got \"1\", wanted 0, or at least 2: each day draws requests to come "
      "from the others");
  EXPECT_EQ(
      error({"dispatch.log=l", "dispatch.sites=[a, b]"}),
      "--set: dispatch.sites: got a list, wanted one file or dataset, whose site dispatch.log "
      "is of");
}

TEST(DispatchConfigTest, IsAForeignSectionOfOtherModels) {
  const auto config = ParseTrainingConfig(kMinimal, "f.yaml", {"model=gt"});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_FALSE(config->dispatch.has_value());
  EXPECT_EQ(MessageOf(ParseTrainingConfig(kMinimal, "f.yaml", {"model=gt", "validation.days=3"})),
            "--set: validation.days: got \"3\", wanted none without model: dispatch or habits");
}

struct Refusal {
  const char* setting;  // added to kMinimal
  const char* error;

  friend void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.setting; }
};

class RefusedDispatchTest : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedDispatchTest, NamesTheKeyAndWhatWasExpected) {
  const auto config = ParseTrainingConfig(kMinimal, "f.yaml", {GetParam().setting});
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MessageOf(config), std::string("--set: ") + GetParam().error);
}

constexpr char kNone[] = "wanted none with model: dispatch, which does not read it";
const std::string kSizes = std::string("problem.customers: got \"7\", ") + kNone;
const std::string kMethod = std::string("training.method: got \"supervised\", ") + kNone;
const std::string kAmp = std::string("training.amp: got \"true\", ") + kNone;
const std::string kInitial = std::string("training.initial_model: got \"a\", ") + kNone;
const std::string kWorkers = std::string("loader.workers: got \"3\", ") + kNone;
const std::string kProcesses = std::string("training.workers: got \"2\", ") + kNone;
const std::string kFile = std::string("validation.file: got \"a\", ") + kNone;
INSTANTIATE_TEST_SUITE_P(
    All, RefusedDispatchTest,
    testing::Values(
        Refusal{"training.workers=2", kProcesses.c_str()},
        Refusal{"dispatch.sites=[]",
                "dispatch.sites: got a list, wanted at least one file or "
                "dataset"},
        Refusal{"dispatch.label_seconds=0",
                "dispatch.label_seconds: got \"0\", wanted a number "
                "above 0, because dispatch.label_iterations is 0"},
        Refusal{"validation.decision_iterations=0",
                "validation.decision_iterations: got \"0\", wanted an integer above 0, because "
                "validation.decision_seconds is 0"},
        Refusal{"dispatch.hidden=[]",
                "dispatch.hidden: got a list, wanted an integer from 1 to "
                "4096, or a list of at most 16 of them"},
        Refusal{"dispatch.hidden=[0]",
                "dispatch.hidden: got a list, wanted an integer from 1 to "
                "4096, or a list of at most 16 of them"},
        Refusal{"validation.shifts=[0.1, 0]",
                "validation.shifts: got a list, wanted a number from "
                "-100 to 100, or an ascending list of them"},
        Refusal{"validation.seed=4",
                "validation.seed: got \"4\", wanted another seed: the days of "
                "dispatch.first_seed have the seeds 1 to 4, and validation "
                "would use them"},
        Refusal{"dispatch.encoder=gt",
                "dispatch.encoder: got \"gt\", wanted \"mlp\" or \"linear\" or "
                "\"graph_transformer\""},
        Refusal{"dispatch.width=64",
                "dispatch.width: got \"64\", wanted none without dispatch.encoder: "
                "graph_transformer"},
        Refusal{"dispatch.layers=3",
                "dispatch.layers: got \"3\", wanted none without dispatch.encoder: "
                "graph_transformer"},
        Refusal{"dispatch.heads=8",
                "dispatch.heads: got \"8\", wanted none without dispatch.encoder: "
                "graph_transformer"},
        Refusal{"dispatch.width=2048",
                "dispatch.width: got \"2048\", wanted an integer from 16 to 1024"},
        Refusal{"dispatch.scenario_iterations=7",
                "dispatch.scenario_iterations: got \"7\", wanted "
                "none with dispatch.scenarios: 0"},
        Refusal{"problem.customers=7", kSizes.c_str()},
        Refusal{"training.method=supervised", kMethod.c_str()},
        Refusal{"training.amp=true", kAmp.c_str()},
        Refusal{"training.initial_model=a", kInitial.c_str()},
        Refusal{"loader.workers=3", kWorkers.c_str()},
        Refusal{"validation.file=a", kFile.c_str()}));

TEST(DispatchConfigTest, ReadsTheSizesOfAGraphTransformer) {
  const ConfigOverrides overrides = {"dispatch.encoder=graph_transformer", "dispatch.width=64",
                                     "dispatch.layers=3", "dispatch.heads=8"};
  const auto config = ParseTrainingConfig(kMinimal, "f.yaml", overrides);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->dispatch->encoder, DispatchEncoder::kGraphTransformer);
  EXPECT_EQ(config->dispatch->width, 64);
  EXPECT_EQ(config->dispatch->layers, 3);
  EXPECT_EQ(config->dispatch->heads, 8);
  ExpectReadsBack(kMinimal, overrides);
  EXPECT_FALSE(
      ResolveTrainingConfig(kMinimal, "f.yaml", overrides)->settings.contains("dispatch.hidden"));
}

TEST(DispatchConfigTest, RefusesSizesThatDoNotBelongToTheEncoder) {
  const auto message = [](const char* setting) {
    return MessageOf(
        ParseTrainingConfig(kMinimal, "f.yaml", {"dispatch.encoder=graph_transformer", setting}));
  };
  EXPECT_EQ(message("dispatch.hidden=[8]"),
            "--set: dispatch.hidden: got a list, wanted none without dispatch.encoder: mlp");
  EXPECT_EQ(message("dispatch.width=40"),
            "--set: dispatch.width: got \"40\", wanted a multiple of 16");
  EXPECT_EQ(message("dispatch.heads=3"),
            "--set: dispatch.heads: got \"3\", wanted a divisor of dispatch.width, 32");
}

TEST(DispatchConfigTest, RequiresSites) {
  EXPECT_EQ(MessageOf(ParseTrainingConfig("name: a\nmodel: dispatch\n", "f.yaml")),
            "f.yaml:1: dispatch.sites: missing");
}

TEST(DispatchConfigTest, NamesTheLineOfAWrongValue) {
  const auto config = ParseTrainingConfig(
      "name: a\nmodel: dispatch\ndispatch:\n  sites: a.txt\n  days_per_site: many\n  speed: 3\n",
      "f.yaml");
  EXPECT_THAT(
      MessageOf(config),
      HasSubstr("f.yaml:5: dispatch.days_per_site: got \"many\", wanted an integer from 1"));
  EXPECT_THAT(MessageOf(config), HasSubstr("f.yaml:6: \"dispatch.speed\": unknown key"));
}

}  // namespace
}  // namespace vrp
