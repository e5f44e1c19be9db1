#include "core/train/config/training_config.h"

#include <string>
#include <vector>

#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "gtest/gtest.h"
#include "tests/train/config_text.h"

namespace vrp {
namespace {

using test::MessageOf;
using test::ReadText;

TEST(TrainingConfigTest, HasDefaultsForAllKeysExceptTheName) {
  const auto config = ParseTrainingConfig("name: a\n", "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->sizes.json,
            WritePointerNetworkOptions({.hidden = 256, .layers = 2, .dropout = 0.2}));
  EXPECT_EQ(config->batch_size, 128);
  EXPECT_EQ(MessageOf(ParseTrainingConfig("", "f.yaml")), "f.yaml:1: name: missing");
}

TEST(TrainingConfigTest, ReadsTheKeysOfTheFile) {
  const auto config = ParseTrainingConfig(
      "name: a\nproblem: {kind: vrptw, customers: 30, capacity: 25, seed: 5}\n"
      "training: {method: supervised, batch_size: 64, amp: true, learning_rate: 5e-4}\n"
      "supervised: {samples: 100, teacher_forcing_end: 0.25, heuristic_iterations: 3}\n"
      "validation: {instances: 7, seed: 9}\n",
      "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->problem.kinds, std::vector<ProblemKind>{ProblemKind::kVrptw});
  EXPECT_EQ(config->problem.customers, (IntegerRange{30, 30}));
  EXPECT_EQ(config->problem.capacity, (NumberRange{25, 25}));
  EXPECT_EQ(config->method, TrainingMethod::kSupervised);
  EXPECT_TRUE(config->amp);
  EXPECT_EQ(config->learning_rate, 5e-4);
  EXPECT_EQ(config->supervised.teacher_forcing_end, 0.25);
  EXPECT_EQ(config->StepsPerEpoch(), 2);
  EXPECT_EQ(config->validation.seed, 9u);
}

TEST(TrainingConfigTest, ReadsRangesAndListsOfAMixture) {
  const std::vector<std::string> overrides = {"problem.customers=[10, 100]"};
  const auto config = ParseTrainingConfig(
      "name: a\nmodel: GT+RL\n"
      "problem: {kinds: [cvrp, tsp, cvrp], capacity: [20, 60], layouts: [x, uniform], open_routes: "
      "0.2,\n"
      "          backhauls: 0.1}\n"
      "training: {schedule: step, milestones: [3, 5], weight_decay: 0.01, amp: true, amp_type: "
      "fp16}\n"
      "reinforce: {baseline: pomo, starts: 8}\nvalidation: {reference: search}\n",
      "f.yaml", overrides);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->architecture->name, "gt");
  EXPECT_EQ(config->problem.kinds,
            (std::vector{ProblemKind::kCvrp, ProblemKind::kTsp, ProblemKind::kCvrp}));
  EXPECT_EQ(config->problem.customers, (IntegerRange{10, 100}));
  EXPECT_EQ(config->problem.capacity, (NumberRange{20, 60}));
  EXPECT_EQ(config->problem.layouts, (std::vector{Layout::kX, Layout::kUniform}));
  EXPECT_EQ(config->milestones, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(config->amp_type, Precision::kFp16);
  EXPECT_EQ(config->reinforce.baseline, Baseline::kPomo);
  EXPECT_EQ(config->reinforce.starts, 8);
  EXPECT_EQ(config->validation.reference, Reference::kSearch);
  EXPECT_EQ(*ParseGraphTransformerOptions(config->sizes.json, "sizes"), GraphTransformerOptions{});
}

TEST(TrainingConfigTest, ReadsInstanceFilesAndTheirAugmentation) {
  const auto config = ParseTrainingConfig(
      "name: a\nproblem: {kind: vrptw, customers: 50, instances: [a.jsonl, b.vrp], augment: false, "
      "demand_jitter: 0.1}\n",
      "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->problem.instances, (std::vector<std::string>{"a.jsonl", "b.vrp"}));
  EXPECT_FALSE(config->problem.augment);
  EXPECT_EQ(config->problem.demand_jitter, 0.1);
}

TEST(TrainingConfigTest, ReadsInputsBesideOrInsteadOfTheBuiltInOnes) {
  const std::string prefix = "name: a\nproblem: {instances: own.jsonl, features: ";
  const auto joined = ParseTrainingConfig(prefix + "[builtin, early]}\n", "f.yaml");
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->sizes.inputs.size(), 9u);
  EXPECT_EQ(joined->Inputs().form.own_columns, (std::vector<std::string>{"early"}));
  EXPECT_EQ(ParsePointerNetworkOptions(joined->sizes.json, "sizes")->inputs, joined->sizes.inputs);
  const auto replaced = ParseTrainingConfig(prefix + "[x, y, early]}\nmodel: gt\n", "f.yaml");
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  EXPECT_EQ(replaced->sizes.inputs, (std::vector<std::string>{"x", "y", "early"}));
  // The builtin inputs are not stored, so sizes are as in cards without inputs.
  const auto builtin = ParseTrainingConfig("name: a\nproblem: {features: builtin}\n", "f.yaml");
  ASSERT_TRUE(builtin.ok()) << builtin.status();
  EXPECT_TRUE(builtin->sizes.inputs.empty());
}

TEST(TrainingConfigTest, RefusesUnavailableInputs) {
  const auto refusal = [](const std::string& problem, const std::string& rest = "") {
    return MessageOf(ParseTrainingConfig("name: a\nproblem: {" + problem + "}\n" + rest, "f.yaml"));
  };
  EXPECT_NE(refusal("features: [x, y]").find("a list with is_visited"), std::string::npos);
  EXPECT_NE(refusal("features: [builtin, is_visited]", "model: gt\n").find("no is_visited"),
            std::string::npos);
  EXPECT_NE(
      refusal("features: [builtin, early]").find("generated instances have no column \"early\""),
      std::string::npos);
  const std::string supervised =
      "training: {method: supervised}\nsupervised: {labels: file, label_file: l.jsonl}\n";
  EXPECT_NE(
      refusal("features: [builtin, early]", supervised).find("validation.file: wanted a file"),
      std::string::npos);
  EXPECT_NE(refusal("features: [builtin, early]", "training: {method: supervised}\n")
                .find("supervised.labels: file"),
            std::string::npos);
  EXPECT_EQ(refusal("features: [builtin, early]", supervised + "validation: {file: v.jsonl}\n"),
            "");
}

TEST(TrainingConfigTest, RefusesMalformedRangesAndLists) {
  std::string seventeen_kinds = "problem: {kinds: [tsp";
  for (int i = 1; i < 17; ++i) seventeen_kinds += ", tsp";
  seventeen_kinds += "]}";
  for (const std::string& bad : std::vector<std::string>{
           seventeen_kinds, "problem: {customers: [9, 5]}", "problem: {customers: [1, 2, 3]}",
           "problem: {customers: []}", "problem: {customers: [1, many]}",
           "problem: {customers: [[1, 2]]}", "problem: {customers: ['1', 2]}",
           "problem: {capacity: [5, 60]}", "problem: {capacity: [0, 60]}", "problem: {kinds: []}",
           "problem: {kinds: [cvrp, vrp]}", "problem: {kind: cvrp, kinds: [tsp]}",
           "problem: {instances: ['']}", "training: {schedule: step, milestones: [5, 3]}",
           "training: {schedule: step}", "training: {milestones: [3]}",
           "training: {final_learning_rate: 0.1}", "reinforce: {baseline: samples, samples: 1}"}) {
    const auto config = ParseTrainingConfig("name: a\n" + bad + "\n", "f.yaml");
    EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_EQ(MessageOf(config).rfind("f.yaml:", 0), 0u) << MessageOf(config);
  }
}

TEST(TrainingConfigTest, NamesLineValueAndExpectation) {
  EXPECT_EQ(MessageOf(ParseTrainingConfig("name: a\ntraining:\n  batch_size: many\n", "f.yaml")),
            "f.yaml:3: training.batch_size: got \"many\", wanted an integer from 1 to 65536");
}

TEST(TrainingConfigTest, ReportsAllErrorsInTheOrderOfTheFile) {
  const std::string message = MessageOf(ParseTrainingConfig(
      "training:\n  epochs: 0\n  amp: 1\nnetwork:\n  hidden: 24\nspeed: 9\n", "f.yaml"));
  EXPECT_EQ(message,
            "f.yaml:1: name: missing\n"
            "f.yaml:2: training.epochs: got \"0\", wanted an integer from 1 to 1000000\n"
            "f.yaml:3: training.amp: got \"1\", wanted true or false\n"
            "f.yaml:5: network.hidden: got \"24\", wanted a multiple of 16\n"
            "f.yaml:6: \"speed\": unknown key");
}

TEST(TrainingConfigTest, SuggestsTheNearestKey) {
  EXPECT_NE(MessageOf(ParseTrainingConfig("name: a\ntraining: {batchsize: 3}\n", "f"))
                .find("did you mean training.batch_size?"),
            std::string::npos);
  EXPECT_NE(MessageOf(ParseTrainingConfig("name: a\nepochs: 3\n", "f"))
                .find("did you mean training.epochs?"),
            std::string::npos);
}

TEST(TrainingConfigTest, SuggestsEverySectionThatHasTheKey) {
  EXPECT_NE(MessageOf(ParseTrainingConfig("name: a\nlayers: 3\n", "f"))
                .find("did you mean dispatch.layers or estimate.layers or graph_transformer.layers "
                      "or habits.layers or "
                      "network.layers?"),
            std::string::npos);
  EXPECT_NE(MessageOf(ParseTrainingConfig("name: a\nmodel_sizes: {feed_foward: 3}\n", "f"))
                .find("did you mean graph_transformer.feed_forward?"),
            std::string::npos);
}

TEST(TrainingConfigTest, RefusesAScalarInsteadOfASection) {
  EXPECT_EQ(MessageOf(ParseTrainingConfig("name: a\ntraining: 5\n", "f")),
            "f:2: training: got \"5\", wanted a mapping");
  EXPECT_TRUE(ParseTrainingConfig("name: a\ntraining:\n", "f").ok());
}

TEST(OverrideTest, ReplacesTheFilesValueAndIsChecked) {
  const std::string yaml = "name: a\ntraining: {epochs: 5}\n";
  EXPECT_EQ(ParseTrainingConfig(yaml, "f", {"training.epochs=7"})->epochs, 7);
  EXPECT_EQ(ParseTrainingConfig(yaml, "f", {"training.seed=7"})->seed, 7u);
  EXPECT_EQ(MessageOf(ParseTrainingConfig(yaml, "f", {"training.epochs=x"})),
            "--set: training.epochs: got \"x\", wanted an integer from 1 to 1000000");
  EXPECT_NE(
      MessageOf(ParseTrainingConfig(yaml, "f", {"epochs=7"})).find("did you mean training.epochs"),
      std::string::npos);
  for (const char* bad : {"", "=", "=3", "training.epochs", "training.epochs=\n", "\xff=1"}) {
    EXPECT_EQ(ParseTrainingConfig(yaml, "f", {bad}).status().code(),
              absl::StatusCode::kInvalidArgument)
        << bad;
  }
}

TEST(OverrideTest, IsKeptInTheSource) {
  EXPECT_NE(
      ParseTrainingConfig("name: a", "f", {"training.epochs=7"})->source.find("training.epochs=7"),
      std::string::npos);
}

TEST(TrainingConfigTest, ChecksKeysAgainstEachOther) {
  const auto expect_refused = [](const std::string& yaml, const std::string& text) {
    const std::string message = MessageOf(ParseTrainingConfig("name: a\n" + yaml, "f"));
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  expect_refused("validation: {seed: 1234}\n",
                 "validation.seed: got \"1234\", wanted another seed");
  expect_refused("problem: {capacity: 5}\n", "problem.capacity: got \"5\", wanted 0");
  expect_refused("problem: {kind: tsp, customers: 1}\n", "problem.customers");
  expect_refused("problem: {customers: 1000}\ntraining: {batch_size: 65536}\n",
                 "training.batch_size");
  expect_refused("supervised: {labels: file}\n", "supervised.label_file");
  expect_refused("training: {batch_size: 2, workers: 3}\n",
                 "training.workers: got \"3\", wanted at most training.batch_size, 2");
  expect_refused("training: {workers: 0}\n",
                 "training.workers: got \"0\", wanted an integer from 1");
  expect_refused("training: {epochs: 1000000, batches_per_epoch: 1000000}\n", "training.epochs");
}

TEST(TrainingConfigTest, ReadsTheArchitectureByNameOrAlias) {
  EXPECT_EQ(ParseTrainingConfig("name: a\nmodel: GT+RL", "f")->architecture->name, "gt");
  EXPECT_EQ(ResolveTrainingConfig("name: a\nmodel: GT+RL", "f", {})->settings.at("model"), "gt");
  EXPECT_EQ(ParseTrainingConfig("name: a\nmodel: gt", "f")->architecture->name, "gt");
  EXPECT_EQ(ParseTrainingConfig("name: a", "f")->architecture->name, "ptrnet");
  EXPECT_EQ(ParseTrainingConfig("name: a\nmodel: bert", "f").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(TrainingConfigTest, RefusesANewerSchemaBeforeAllOtherErrors) {
  const auto config =
      ParseTrainingConfig("name: a\nschema_version: 2\ninvented: {later: 1}\n", "f.yaml");
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(config.status().message()),
            "f.yaml: schema_version: got 2, wanted at most 1 (the configuration is for a "
            "newer program: submit it to that one)");
  EXPECT_TRUE(ParseTrainingConfig("name: a\nschema_version: 1\n", "f.yaml").ok());
  EXPECT_FALSE(ParseTrainingConfig("name: a\nschema_version: 0\n", "f.yaml").ok());
  EXPECT_FALSE(ParseTrainingConfig("name: a\nschema_version: one\n", "f.yaml").ok());
}

// The file is older than the key schema_version.
TEST(TrainingConfigTest, ReadsSchema1) {
  const auto config =
      ParseTrainingConfig(ReadText("tests/data/state/checkpoint_v1/training.yaml"), "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(ParseGraphTransformerOptions(config->sizes.json, "sizes")->hidden, 16);
}

TEST(TrainingConfigTest, ReadsAnEmptyListAsNone) {
  const std::string yaml = "name: a\nproblem: {instances: [a.jsonl]}\n";
  EXPECT_TRUE(ParseTrainingConfig(yaml, "f", {"problem.instances=[]"})->problem.instances.empty());
  const std::string steps = "name: a\ntraining: {schedule: step, milestones: [3]}\n";
  const auto constant =
      ParseTrainingConfig(steps, "f", {"training.schedule=constant", "training.milestones=[]"});
  ASSERT_TRUE(constant.ok()) << constant.status();
  EXPECT_TRUE(constant->milestones.empty());
}

TEST(TrainingConfigTest, ReadsItsSourceWithTheOverrides) {
  const auto config = ParseTrainingConfig("name: a\n# --set name=no\ntraining: {epochs: 3}", "f",
                                          {"training.epochs=4", "training.epochs=5"});
  ASSERT_TRUE(config.ok()) << config.status();
  const auto read = ParseConfigSource(config->source, "card.json");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name, "a");
  EXPECT_EQ(read->epochs, 5);
  EXPECT_EQ(read->source, config->source);
}

}  // namespace
}  // namespace vrp
