#include "core/train/config/training_config.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"

namespace vrp {
namespace {

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

template <typename Config>
std::string MessageOf(const absl::StatusOr<Config>& config) {
  return std::string(config.status().message());
}

TEST(TrainingConfigTest, HasDefaultsForEverythingButTheName) {
  const auto config = ParseTrainingConfig("name: a\n", "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->network, (PointerNetworkOptions{.hidden = 256, .layers = 2, .dropout = 0.2}));
  EXPECT_EQ(config->batch_size, 128);
  EXPECT_EQ(MessageOf(ParseTrainingConfig("", "f.yaml")), "f.yaml:1: name: missing");
}

TEST(TrainingConfigTest, TakesEachKeyOfTheFile) {
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

TEST(TrainingConfigTest, TakesRangesAndListsOfAMixture) {
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
  EXPECT_EQ(config->model, "gt");
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
  EXPECT_EQ(*ParseGraphTransformerOptions(config->ArchitectureJson(), "sizes"),
            config->graph_transformer);
}

TEST(TrainingConfigTest, TakesAUsersOwnInstancesAndHowTheyAreChanged) {
  const auto config = ParseTrainingConfig(
      "name: a\nproblem: {kind: vrptw, customers: 50, instances: [a.jsonl, b.vrp], augment: false, "
      "demand_jitter: 0.1}\n",
      "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->problem.instances, (std::vector<std::string>{"a.jsonl", "b.vrp"}));
  EXPECT_FALSE(config->problem.augment);
  EXPECT_EQ(config->problem.demand_jitter, 0.1);
}

TEST(TrainingConfigTest, TakesOwnInputsBesideTheBuiltInOnesOrInTheirPlace) {
  const std::string own = "name: a\nproblem: {instances: own.jsonl, features: ";
  const auto joined = ParseTrainingConfig(own + "[builtin, early]}\n", "f.yaml");
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->network.inputs.size(), 9u);
  EXPECT_EQ(joined->Inputs().form.own_columns, (std::vector<std::string>{"early"}));
  EXPECT_EQ(*ParsePointerNetworkOptions(joined->ArchitectureJson(), "sizes"), joined->network);
  const auto replaced = ParseTrainingConfig(own + "[x, y, early]}\nmodel: gt\n", "f.yaml");
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  EXPECT_EQ(replaced->graph_transformer.inputs, (std::vector<std::string>{"x", "y", "early"}));
  EXPECT_TRUE(replaced->network.inputs.empty());
  // The usual ones are what a card without inputs says.
  const auto usual = ParseTrainingConfig("name: a\nproblem: {features: builtin}\n", "f.yaml");
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_TRUE(usual->network.inputs.empty());
}

TEST(TrainingConfigTest, RefusesInputsThatANetworkOrItsInstancesCannotHave) {
  const auto refusal = [](const std::string& problem, const std::string& rest = "") {
    return MessageOf(ParseTrainingConfig("name: a\nproblem: {" + problem + "}\n" + rest, "f.yaml"));
  };
  EXPECT_NE(refusal("features: [x, y]").find("is_visited among them"), std::string::npos);
  EXPECT_NE(
      refusal("features: [builtin, is_visited]", "model: gt\n").find("none called is_visited"),
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

TEST(TrainingConfigTest, RefusesRangesAndListsThatAreNone) {
  for (const char* bad :
       {"problem: {customers: [9, 5]}", "problem: {customers: [1, 2, 3]}",
        "problem: {customers: []}", "problem: {customers: [1, many]}",
        "problem: {customers: [[1, 2]]}", "problem: {customers: ['1', 2]}",
        "problem: {capacity: [5, 60]}", "problem: {capacity: [0, 60]}",
        "problem: {kinds: [tsp, tsp, tsp, tsp, tsp, tsp, tsp, tsp, tsp, tsp, tsp, tsp, tsp, tsp, "
        "tsp, "
        "tsp, tsp]}",
        "problem: {kinds: []}", "problem: {kinds: [cvrp, vrp]}",
        "problem: {kind: cvrp, kinds: [tsp]}", "problem: {instances: ['']}",
        "training: {schedule: step, milestones: [5, 3]}", "training: {schedule: step}",
        "training: {milestones: [3]}", "training: {final_learning_rate: 0.1}",
        "reinforce: {baseline: samples, samples: 1}"}) {
    const auto config = ParseTrainingConfig(std::string("name: a\n") + bad + "\n", "f.yaml");
    EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_EQ(MessageOf(config).rfind("f.yaml:", 0), 0u) << MessageOf(config);
  }
}

TEST(TrainingConfigTest, SaysLineGotAndWanted) {
  EXPECT_EQ(MessageOf(ParseTrainingConfig("name: a\ntraining:\n  batch_size: many\n", "f.yaml")),
            "f.yaml:3: training.batch_size: got \"many\", wanted an integer from 1 to 65536");
}

TEST(TrainingConfigTest, GivesAllErrorsInTheOrderOfTheFile) {
  const std::string message = MessageOf(ParseTrainingConfig(
      "training:\n  epochs: 0\n  amp: 1\nnetwork:\n  hidden: 24\nspeed: 9\n", "f.yaml"));
  EXPECT_EQ(message,
            "f.yaml:1: name: missing\n"
            "f.yaml:2: training.epochs: got \"0\", wanted an integer from 1 to 1000000\n"
            "f.yaml:3: training.amp: got \"1\", wanted true or false\n"
            "f.yaml:5: network.hidden: got \"24\", wanted a multiple of 16\n"
            "f.yaml:6: \"speed\": unknown key");
}

TEST(TrainingConfigTest, SuggestsTheKeyThatWasMeant) {
  EXPECT_NE(MessageOf(ParseTrainingConfig("name: a\ntraining: {batchsize: 3}\n", "f"))
                .find("did you mean training.batch_size?"),
            std::string::npos);
  EXPECT_NE(MessageOf(ParseTrainingConfig("name: a\nepochs: 3\n", "f"))
                .find("did you mean training.epochs?"),
            std::string::npos);
}

TEST(TrainingConfigTest, NamesEverySectionThatHasTheKey) {
  EXPECT_NE(MessageOf(ParseTrainingConfig("name: a\nlayers: 3\n", "f"))
                .find("did you mean graph_transformer.layers or network.layers?"),
            std::string::npos);
  EXPECT_NE(MessageOf(ParseTrainingConfig("name: a\nmodel_sizes: {feed_foward: 3}\n", "f"))
                .find("did you mean graph_transformer.feed_forward?"),
            std::string::npos);
}

TEST(TrainingConfigTest, RefusesAScalarWhereASectionBelongs) {
  EXPECT_EQ(MessageOf(ParseTrainingConfig("name: a\ntraining: 5\n", "f")),
            "f:2: training: got \"5\", wanted a mapping");
  EXPECT_TRUE(ParseTrainingConfig("name: a\ntraining:\n", "f").ok());
}

TEST(OverrideTest, ReplacesTheFilesValueAndIsCheckedLikeIt) {
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

TEST(OverrideTest, StandsInTheSourceThatIsKept) {
  EXPECT_NE(
      ParseTrainingConfig("name: a", "f", {"training.epochs=7"})->source.find("training.epochs=7"),
      std::string::npos);
}

// Expects that what a configuration resolves to means the same.
void ExpectReadsBack(const std::string& yaml, const ConfigOverrides& overrides) {
  const auto resolved = ResolveTrainingConfig(yaml, "f.yaml", overrides);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  auto meant = ParseTrainingConfig(yaml, "f.yaml", overrides);
  auto read = ParseTrainingConfig(resolved->yaml, "resolved.yaml");
  ASSERT_TRUE(read.ok()) << read.status() << "\n" << resolved->yaml;
  meant->source = read->source;
  EXPECT_EQ(*meant, *read) << resolved->yaml;
  EXPECT_EQ(ResolveTrainingConfig(resolved->yaml, "resolved.yaml")->yaml, resolved->yaml);
  EXPECT_EQ(*TrainingSettings(resolved->yaml, "resolved.yaml", {}), resolved->settings);
}

struct Key {
  const char* path;
  const char* good;
  bool number = true;
  bool list = false;        // [1, 2] may be right
  bool text = false;        // any text is right
  const char* beside = "";  // lines without which nothing reads it
};

void PrintTo(const Key& key, std::ostream* out) { *out << key.path; }

constexpr Key kKeys[] = {
    {"problem.kind", "tsp", false},
    {"problem.kinds", "[tsp, cvrp]", false},
    {"problem.customers", "7", true, true},
    {"problem.customers_skew", "2"},
    {"problem.capacity", "12.5", true},
    {"problem.layouts", "[x, clustered]", false},
    {"problem.open_routes", "0.5"},
    {"problem.distance_limit", "0.5"},
    {"problem.backhauls", "0.5", true, false, false, "model: gt\n"},
    {"problem.instances", "[a.jsonl, b.vrp]", false, true, true},
    {"problem.augment", "false", false, false, false, "  instances: a.jsonl\n"},
    {"problem.demand_jitter", "0.2", true, false, false, "  instances: a.jsonl\n"},
    {"problem.seed", "7"},
    {"network.hidden", "16"},
    {"network.layers", "1"},
    {"network.dropout", "0.1", true, false, false, "training: {method: supervised}\n"},
    {"network.logit_clip", "5"},
    {"training.method", "supervised", false},
    {"training.epochs", "2"},
    {"training.batches_per_epoch", "3"},
    {"training.batch_size", "4"},
    {"training.accumulate_steps", "4"},
    {"training.learning_rate", "0.01"},
    {"training.schedule", "cosine", false},
    {"training.warmup_steps", "10"},
    {"training.weight_decay", "0.01"},
    {"training.patience", "3"},
    {"training.publish", "last", false},
    {"training.weight_average", "0.999"},
    {"training.amp_type", "fp16", false, false, false, "  amp: true\n"},
    {"training.tf32", "true", false},
    {"training.deterministic", "true", false},
    {"training.gradient_checkpointing", "true", false, false, false, "model: gt\n"},
    {"training.initial_model", "models/a/versions/1", false, false, true},
    {"training.learning_rate_decay", "0.9"},
    {"training.gradient_clip", "2"},
    {"training.amp", "true", false},
    {"training.seed", "4"},
    {"training.checkpoint_every_steps", "4"},
    {"supervised.labels", "heuristic", false},
    {"supervised.heuristic_iterations", "1"},
    {"supervised.samples", "100"},
    {"supervised.label_smoothing", "0.1"},
    {"supervised.teacher_forcing_start", "0.9"},
    {"supervised.teacher_forcing_end", "0.2"},
    {"reinforce.baseline", "greedy_rollout", false},
    {"reinforce.average_decay", "0.9"},
    {"reinforce.starts", "8", true, false, false, "  baseline: pomo\n"},
    {"self_labelling.samples", "8"},
    {"reinforce.baseline_significance", "0.1"},
    {"reinforce.baseline_instances", "10"},
    {"reinforce.warmup_epochs", "0"},
    {"graph_transformer.hidden", "128"},
    {"graph_transformer.layers", "3"},
    {"graph_transformer.heads", "8"},
    {"graph_transformer.feed_forward", "512"},
    {"graph_transformer.norm", "frozen_batch", false},
    {"graph_transformer.edge_bias", "false", false},
    {"graph_transformer.logit_clip", "8"},
    {"loader.workers", "0"},
    {"loader.prefetch", "4"},
    {"loader.memory_mb", "100", true, false, false, "validation: {reference: search}\n"},
    {"loader.pin", "false", false},
    {"validation.file", "held_out.jsonl", false, false, true},
    {"validation.reference", "search", false},
    {"validation.reference_iterations", "10", true, false, false, "  reference: search\n"},
    {"validation.instances", "10"},
    {"validation.seed", "5"},
};

class EveryKeyTest : public testing::TestWithParam<Key> {
 protected:
  static std::string With(const std::string& value, const std::string& more = "") {
    const std::string path = GetParam().path;
    const size_t dot = path.find('.');
    return "name: a\n" + path.substr(0, dot) + ":\n  " + path.substr(dot + 1) + ": " + value +
           "\n" + more + GetParam().beside;
  }
  static void ExpectRefused(const std::string& value) {
    const auto config = ParseTrainingConfig(With(value), "f.yaml");
    ASSERT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << value;
    const std::string start = std::string("f.yaml:3: ") + GetParam().path + ": got ";
    EXPECT_EQ(MessageOf(config).rfind(start, 0), 0u) << MessageOf(config);
    EXPECT_NE(MessageOf(config).find("wanted"), std::string::npos) << MessageOf(config);
  }
};

TEST_P(EveryKeyTest, TakesAGoodValueAndMayBeAbsent) {
  const auto config = ParseTrainingConfig(With(GetParam().good), "f.yaml");
  EXPECT_TRUE(config.ok()) << config.status();
}

TEST_P(EveryKeyTest, RefusesValuesOfAnotherTypeOrOutOfRange) {
  for (const char* bad : {"{a: 1}", "~", "", "[[1]]"}) ExpectRefused(bad);
  if (!GetParam().text || !GetParam().list) ExpectRefused("[]");
  if (!GetParam().list) ExpectRefused("[1, 2]");
  if (GetParam().text) return;
  for (const char* bad : {"wrong", "''", ".nan", "nan", ".inf", "-.inf", "-1", "1e999",
                          "99999999999999999999999", "0x10", "1 2"}) {
    ExpectRefused(bad);
  }
  if (GetParam().number) ExpectRefused("\"" + std::string(GetParam().good) + "\"");
}

TEST_P(EveryKeyTest, RefusesADuplicate) {
  const std::string path = GetParam().path;
  const std::string leaf = path.substr(path.find('.') + 1);
  const auto config = ParseTrainingConfig(
      With(GetParam().good, "  " + leaf + ": " + GetParam().good + "\n"), "f.yaml");
  EXPECT_NE(MessageOf(config).find("f.yaml:4: the key \"" + leaf + "\" stands twice"),
            std::string::npos)
      << MessageOf(config);
}

TEST_P(EveryKeyTest, ReadsBackFromTheResolvedConfiguration) {
  const std::string path = GetParam().path;
  ConfigOverrides overrides;
  if (path.starts_with("graph_transformer.")) overrides = {"model=gt"};
  if (path.starts_with("supervised.")) overrides = {"training.method=supervised"};
  if (path.starts_with("self_labelling.")) overrides = {"training.method=self_labelling"};
  const std::string yaml = With(GetParam().good);
  EXPECT_EQ(ResolveTrainingConfig(yaml, "f.yaml", overrides)->settings.count(path), 1u);
  ExpectReadsBack(yaml, overrides);
}

TEST_P(EveryKeyTest, SurvivesTruncation) {
  const std::string text = With(GetParam().good);
  for (size_t length = 0; length < text.size(); ++length) {
    (void)ParseTrainingConfig(text.substr(0, length), "f.yaml");
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, EveryKeyTest, testing::ValuesIn(kKeys), [](const auto& param_info) {
  std::string name = param_info.param.path;
  name[name.find('.')] = '_';
  return name;
});

TEST(TrainingConfigTest, ChecksKeysAgainstEachOther) {
  const auto refused = [](const std::string& yaml, const std::string& says) {
    const std::string message = MessageOf(ParseTrainingConfig("name: a\n" + yaml, "f"));
    EXPECT_NE(message.find(says), std::string::npos) << message;
  };
  refused("validation: {seed: 1234}\n", "validation.seed: got \"1234\", wanted another seed");
  refused("problem: {capacity: 5}\n", "problem.capacity: got \"5\", wanted 0");
  refused("problem: {kind: tsp, customers: 1}\n", "problem.customers");
  refused("problem: {customers: 1000}\ntraining: {batch_size: 65536}\n", "training.batch_size");
  refused("supervised: {labels: file}\n", "supervised.label_file");
  refused("training: {epochs: 1000000, batches_per_epoch: 1000000}\n", "training.epochs");
}

TEST(TrainingConfigTest, KnowsTheArchitecturesByTheirNames) {
  EXPECT_EQ(ParseTrainingConfig("name: a\nmodel: GT+RL", "f")->model, "gt");
  EXPECT_EQ(ParseTrainingConfig("name: a\nmodel: gt", "f")->model, "gt");
  EXPECT_EQ(ParseTrainingConfig("name: a", "f")->model, "ptrnet");
  EXPECT_EQ(ParseTrainingConfig("name: a\nmodel: bert", "f").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ShippedConfigTest, TheSmallestIsAGraphTransformerAndByAnOverrideAPointerNetwork) {
  const std::string yaml = ReadText("configs/tiny_1.yaml");
  const auto config = ParseTrainingConfig(yaml, "tiny_1.yaml", {"model=GT+RL"});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->model, "gt");
  EXPECT_EQ(config->graph_transformer, GraphTransformerOptions{});
  EXPECT_EQ(config->batch_size, 128);
  EXPECT_EQ(config->problem.customers, (IntegerRange{10, 10}));
  EXPECT_EQ(config->batches_per_epoch, 25);
  EXPECT_EQ(config->reinforce.baseline, Baseline::kGreedyRollout);
  EXPECT_EQ(ParseTrainingConfig(yaml, "tiny_1.yaml", {"model=ptrnet"})->network,
            PointerNetworkOptions{});
}

TEST(TrainingConfigTest, OneForANewerProgramIsRefusedByItsSchemaAlone) {
  const auto config =
      ParseTrainingConfig("name: a\nschema_version: 2\ninvented: {later: 1}\n", "f.yaml");
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(config.status().message()),
            "f.yaml: schema_version: got 2, wanted at most 1 (the configuration was written for a "
            "newer program: submit it to that one)");
  EXPECT_TRUE(ParseTrainingConfig("name: a\nschema_version: 1\n", "f.yaml").ok());
  EXPECT_FALSE(ParseTrainingConfig("name: a\nschema_version: 0\n", "f.yaml").ok());
  EXPECT_FALSE(ParseTrainingConfig("name: a\nschema_version: one\n", "f.yaml").ok());
}

// From before there was a schema_version.
TEST(TrainingConfigTest, OneOfSchema1IsRead) {
  const auto config =
      ParseTrainingConfig(ReadText("tests/data/state/checkpoint_v1/training.yaml"), "f.yaml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->graph_transformer.hidden, 16);
}

TEST(ShippedConfigTest, EveryOneIsValidAndReadsBackAsItResolves) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("configs")) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".yaml") || name == "vrpd.yaml") continue;
    ++found;
    SCOPED_TRACE(name);
    ExpectReadsBack(ReadText(entry.path()), {});
    ExpectReadsBack(ReadText(entry.path()), {"training.seed=7", "name=an odd: [name]"});
  }
  EXPECT_GE(found, 7);
}

// vrpctl train --list-presets shows this line.
TEST(ShippedConfigTest, EveryOneSaysItsSizeInTheSecondLine) {
  for (const auto& entry : std::filesystem::directory_iterator("configs")) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".yaml") || name == "vrpd.yaml") continue;
    const std::string text = ReadText(entry.path());
    const size_t second = text.find('\n') + 1;
    const std::string line = text.substr(second, text.find(';', second) - second);
    const auto config = ParseTrainingConfig(text, name);
    ASSERT_TRUE(config.ok()) << config.status();
    const bool labels = config->method == TrainingMethod::kSupervised;
    std::string samples = std::to_string(config->supervised.samples);
    samples.insert(samples.size() - 3, ",");
    const std::string size = labels ? "over " + samples + " labels"
                                    : "of " + std::to_string(config->batches_per_epoch) +
                                          " batches of " + std::to_string(config->batch_size);
    EXPECT_EQ(line, "# " + std::to_string(config->epochs) + " epochs " + size) << name;
  }
}

TEST(ResolvedConfigTest, HasEveryKeyOfItsModelAndMethodAndNoOther) {
  const auto resolved = ResolveTrainingConfig("name: a\nmodel: GT+RL\n", "f.yaml",
                                              {"training.epochs=7", "problem.kinds=[cvrp, tsp]"});
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  const auto& settings = resolved->settings;
  EXPECT_EQ(settings.at("training.epochs"), "7");
  EXPECT_EQ(settings.at("problem.kinds"), "[cvrp, tsp]");
  EXPECT_EQ(settings.at("graph_transformer.hidden"), "128");
  EXPECT_EQ(settings.at("reinforce.baseline"), "greedy_rollout");
  EXPECT_EQ(settings.at("training.learning_rate"), "0.001");
  for (const auto& [key, value] : settings) {
    EXPECT_NE(key.rfind("network.", 0), 0u) << key;
    EXPECT_NE(key.rfind("supervised.", 0), 0u) << key;
  }
  for (const char* unread : {"problem.kind", "reinforce.starts", "training.amp_type",
                             "training.milestones", "self_labelling.samples"}) {
    EXPECT_FALSE(settings.contains(unread)) << unread;
  }
}

TEST(ResolvedConfigTest, IsYamlInTheOrderOfTheKeys) {
  const auto resolved =
      ResolveTrainingConfig("name: 'a: b'\nproblem: {capacity: [20, 60]}\n", "f.yaml");
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->yaml.rfind("schema_version: 1\nname: \"a: b\"\nmodel: ptrnet\nproblem:\n"
                                 "  kind: cvrp\n  layouts: uniform\n  customers: 20\n"
                                 "  customers_skew: 1\n  capacity: [20, 60]\n",
                                 0),
            0u)
      << resolved->yaml;
}

TEST(ResolvedConfigTest, IsNotMadeOfAWrongOne) {
  EXPECT_EQ(MessageOf(ResolveTrainingConfig("name: a\nspeed: 9\n", "f")),
            MessageOf(ParseTrainingConfig("name: a\nspeed: 9\n", "f")));
}

TEST(TrainingConfigTest, TakesAnEmptyListForNone) {
  const std::string yaml = "name: a\nproblem: {instances: [a.jsonl]}\n";
  EXPECT_TRUE(ParseTrainingConfig(yaml, "f", {"problem.instances=[]"})->problem.instances.empty());
  const std::string steps = "name: a\ntraining: {schedule: step, milestones: [3]}\n";
  const auto constant =
      ParseTrainingConfig(steps, "f", {"training.schedule=constant", "training.milestones=[]"});
  ASSERT_TRUE(constant.ok()) << constant.status();
  EXPECT_TRUE(constant->milestones.empty());
}

TEST(ShippedConfigTest, TheSmallestHasTheGraphTransformersSizes) {
  const auto tiny = ParseTrainingConfig(ReadText("configs/ptrnet_tiny.yaml"), "ptrnet_tiny.yaml");
  ASSERT_TRUE(tiny.ok()) << tiny.status();
  EXPECT_EQ(tiny->batch_size, 128);
  EXPECT_EQ(tiny->problem.customers, (IntegerRange{10, 10}));
  EXPECT_EQ(tiny->batches_per_epoch, 25);
}

}  // namespace
}  // namespace vrp
