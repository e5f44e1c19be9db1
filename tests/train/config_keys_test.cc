// Tests properties of every key of a training configuration.
#include <ostream>
#include <string>

#include "core/train/config/training_config.h"
#include "gtest/gtest.h"
#include "tests/train/config_text.h"

namespace vrp {
namespace {

using test::ExpectReadsBack;
using test::MessageOf;

// A key with a valid value.
struct Key {
  const char* path;
  const char* valid_value;
  bool number = true;              // whether the value is a number
  bool list = false;               // whether [1, 2] may be valid
  bool text = false;               // whether any text is valid
  const char* further_lines = "";  // lines without which the setting would be unused

  friend void PrintTo(const Key& key, std::ostream* out) { *out << key.path; }
};

constexpr char kDispatch[] = "model: dispatch\ndispatch: {sites: a.txt}\n";
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
    {"training.workers", "4"},
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
    {"dispatch.sites", "[a.txt, datasets/b]", false, true, true},
    {"dispatch.log", "datasets/history", false, false, true},
    {"dispatch.days", "3", true, false, false, "  log: datasets/history\n"},
    {"dispatch.days_per_site", "2"},
    {"dispatch.first_seed", "9"},
    {"dispatch.epoch", "60"},
    {"dispatch.margin", "30"},
    {"dispatch.requests_per_epoch", "7"},
    {"dispatch.label_seconds", "0.5"},
    {"dispatch.label_iterations", "500"},
    {"dispatch.encoder", "mlp", false},
    {"dispatch.hidden", "[8, 8]", true, true},
    {"dispatch.width", "48", true, false, false, "  encoder: graph_transformer\n"},
    {"dispatch.layers", "3", true, false, false, "  encoder: graph_transformer\n"},
    {"dispatch.heads", "8", true, false, false, "  encoder: graph_transformer\n"},
    {"dispatch.draws", "2"},
    {"dispatch.scenarios", "5"},
    {"dispatch.lookahead", "2"},
    {"dispatch.scenario_iterations", "50", true, false, false, "  scenarios: 5\n"},
    {"dispatch.perturbations", "4"},
    {"dispatch.deviation", "0.3"},
    {"dispatch.search_iterations", "100"},
    {"validation.days", "3", true, false, false, kDispatch},
    {"validation.decision_seconds", "0.5", true, false, false, kDispatch},
    {"validation.decision_iterations", "100", true, false, false, kDispatch},
};

class EveryKeyTest : public testing::TestWithParam<Key> {
 protected:
  static std::string ConfigWith(const std::string& value, const std::string& more = "") {
    const std::string path = GetParam().path;
    const size_t dot = path.find('.');
    return "name: a\n" + path.substr(0, dot) + ":\n  " + path.substr(dot + 1) + ": " + value +
           "\n" + more + GetParam().further_lines;
  }
  static void ExpectRefused(const std::string& value) {
    const auto config = ParseTrainingConfig(ConfigWith(value), "f.yaml");
    ASSERT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << value;
    const std::string start = std::string("f.yaml:3: ") + GetParam().path + ": got ";
    EXPECT_EQ(MessageOf(config).rfind(start, 0), 0u) << MessageOf(config);
    EXPECT_NE(MessageOf(config).find("wanted"), std::string::npos) << MessageOf(config);
  }
};

TEST_P(EveryKeyTest, AcceptsAValidValue) {
  const auto config = ParseTrainingConfig(ConfigWith(GetParam().valid_value), "f.yaml");
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
  if (GetParam().number) ExpectRefused("\"" + std::string(GetParam().valid_value) + "\"");
}

TEST_P(EveryKeyTest, RefusesADuplicate) {
  const std::string path = GetParam().path;
  const std::string leaf = path.substr(path.find('.') + 1);
  const auto config = ParseTrainingConfig(
      ConfigWith(GetParam().valid_value, "  " + leaf + ": " + GetParam().valid_value + "\n"),
      "f.yaml");
  EXPECT_NE(MessageOf(config).find("f.yaml:4: the key \"" + leaf + "\" appears twice"),
            std::string::npos)
      << MessageOf(config);
}

TEST_P(EveryKeyTest, ReadsBackFromTheResolvedConfiguration) {
  const std::string path = GetParam().path;
  ConfigOverrides overrides;
  if (path.starts_with("graph_transformer.")) overrides = {"model=gt"};
  if (path.starts_with("supervised.")) overrides = {"training.method=supervised"};
  if (path.starts_with("self_labelling.")) overrides = {"training.method=self_labelling"};
  if (path.starts_with("dispatch.")) overrides = {"model=dispatch"};
  if (path.starts_with("dispatch.") && path != "dispatch.sites") {
    overrides.emplace_back("dispatch.sites=a.txt");
  }
  const std::string yaml = ConfigWith(GetParam().valid_value);
  EXPECT_EQ(ResolveTrainingConfig(yaml, "f.yaml", overrides)->settings.count(path), 1u);
  ExpectReadsBack(yaml, overrides);
}

TEST_P(EveryKeyTest, SurvivesTruncation) {
  const std::string text = ConfigWith(GetParam().valid_value);
  for (size_t length = 0; length < text.size(); ++length) {
    (void)ParseTrainingConfig(text.substr(0, length), "f.yaml");
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, EveryKeyTest, testing::ValuesIn(kKeys), [](const auto& param_info) {
  std::string name = param_info.param.path;
  name[name.find('.')] = '_';
  return name;
});

}  // namespace
}  // namespace vrp
