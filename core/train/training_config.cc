#include "core/train/training_config.h"

#include <array>
#include <limits>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/config_reader.h"

namespace vrp {
namespace {

constexpr int64_t kMaxSeed = std::numeric_limits<int64_t>::max();
constexpr int64_t kMaxSteps = 1'000'000'000;
// Instances x nodes x nodes of a batch: what is kept of a rollout is about 48 bytes of each.
constexpr int64_t kMaxPairs = int64_t{1} << 26;

void ReadProblem(ConfigReader& reader, ProblemConfig& problem) {
  constexpr std::array<ProblemKind, 3> kKinds = {ProblemKind::kCvrp, ProblemKind::kVrptw,
                                                 ProblemKind::kTsp};
  size_t kind = 0;
  reader.ReadWord("problem.kind", {"cvrp", "vrptw", "tsp"}, kind);
  problem.kind = kKinds[kind];
  const int64_t least = problem.kind == ProblemKind::kTsp ? 2 : 1;
  reader.Read("problem.customers", {least, 1000}, problem.customers);
  reader.Read("problem.capacity", {0.0, 1e9}, problem.capacity);
  reader.Read("problem.seed", {0, kMaxSeed}, problem.seed);
  if (problem.capacity != 0 && problem.capacity < 9) {
    reader.Refuse("problem.capacity",
                  "0 (the distribution's own), or at least 9, the largest demand");
  }
}

void ReadNetwork(ConfigReader& reader, PointerNetworkOptions& network) {
  reader.Read("network.hidden", {8, kMaxHidden}, network.hidden);
  reader.Read("network.layers", {1, kMaxLayers}, network.layers);
  reader.Read("network.dropout", {0.0, 0.9}, network.dropout);
  reader.Read("network.logit_clip", {0.1, 100.0}, network.logit_clip);
  if (network.hidden % 8 != 0) reader.Refuse("network.hidden", "a multiple of 8");
}

void ReadTraining(ConfigReader& reader, TrainingConfig& config) {
  constexpr std::array<TrainingMethod, 2> kMethods = {TrainingMethod::kReinforce,
                                                      TrainingMethod::kSupervised};
  size_t method = 0;
  reader.ReadWord("training.method", {"reinforce", "supervised"}, method);
  config.method = kMethods[method];
  reader.Read("training.epochs", {1, 1'000'000}, config.epochs);
  reader.Read("training.batches_per_epoch", {1, 1'000'000}, config.batches_per_epoch);
  reader.Read("training.batch_size", {1, 65536}, config.batch_size);
  reader.Read("training.learning_rate", {1e-9, 1.0}, config.learning_rate);
  reader.Read("training.learning_rate_decay", {0.01, 1.0}, config.learning_rate_decay);
  reader.Read("training.gradient_clip", {1e-6, 1e6}, config.gradient_clip);
  reader.Read("training.amp", config.amp);
  reader.Read("training.seed", {0, kMaxSeed}, config.seed);
  reader.Read("training.checkpoint_every_steps", {1, kMaxSteps}, config.checkpoint_every_steps);
}

void ReadSupervised(ConfigReader& reader, SupervisedConfig& supervised) {
  constexpr std::array<LabelSource, 2> kSources = {LabelSource::kHeuristic, LabelSource::kFile};
  size_t source = 0;
  reader.ReadWord("supervised.labels", {"heuristic", "file"}, source);
  supervised.labels = kSources[source];
  reader.Read("supervised.label_file", supervised.label_file);
  reader.Read("supervised.heuristic_iterations", {0, 1'000'000}, supervised.heuristic_iterations);
  reader.Read("supervised.samples", {1, 10'000'000}, supervised.samples);
  reader.Read("supervised.teacher_forcing_start", {0.0, 1.0}, supervised.teacher_forcing_start);
  reader.Read("supervised.teacher_forcing_end", {0.0, 1.0}, supervised.teacher_forcing_end);
  if (supervised.labels == LabelSource::kFile && supervised.label_file.empty()) {
    reader.Refuse("supervised.label_file", "a file, because supervised.labels is \"file\"");
  }
}

void ReadReinforce(ConfigReader& reader, ReinforceConfig& reinforce) {
  size_t baseline = 0;
  reader.ReadWord("reinforce.baseline", {"greedy_rollout"}, baseline);
  reader.Read("reinforce.baseline_significance", {1e-9, 1.0}, reinforce.baseline_significance);
  reader.Read("reinforce.baseline_instances", {2, 10'000'000}, reinforce.baseline_instances);
  reader.Read("reinforce.warmup_epochs", {0, 1'000'000}, reinforce.warmup_epochs);
}

// Sizes of a network that is not there yet: checked like the others, so that one file serves both.
void ReadGraphTransformer(ConfigReader& reader) {
  int64_t number = 0;
  reader.Read("graph_transformer.hidden", {8, kMaxHidden}, number);
  reader.Read("graph_transformer.layers", {1, 64}, number);
  reader.Read("graph_transformer.heads", {1, 64}, number);
  reader.Read("graph_transformer.feed_forward", {8, 16384}, number);
}

void CheckTogether(ConfigReader& reader, const TrainingConfig& config) {
  if (config.validation_seed == config.problem.seed) {
    reader.Refuse("validation.seed",
                  "another seed than problem.seed, or it would test on training data");
  }
  const int64_t nodes = config.problem.customers + 1;
  if (config.batch_size * nodes * nodes > kMaxPairs) {
    reader.Refuse("training.batch_size",
                  Concat("at most ", kMaxPairs / (nodes * nodes), " at ", config.problem.customers,
                         " customers, or memory would not suffice"));
  }
  if (config.StepsPerEpoch() > kMaxSteps / config.epochs) {
    reader.Refuse("training.epochs", Concat("at most ", kMaxSteps, " steps in all"));
  }
}

}  // namespace

int64_t TrainingConfig::StepsPerEpoch() const {
  if (method == TrainingMethod::kReinforce) return batches_per_epoch;
  return (supervised.samples + batch_size - 1) / batch_size;
}

absl::StatusOr<TrainingConfig> ParseTrainingConfig(std::string_view yaml, std::string_view name,
                                                   const ConfigOverrides& overrides) {
  VRP_ASSIGN_OR_RETURN(const YamlNode root, ParseYamlTree(yaml, name));
  ConfigReader reader(root, name, overrides);
  TrainingConfig config;
  reader.Require("name");
  reader.Read("name", config.name);
  if (reader.Has("name") && config.name.empty()) reader.Refuse("name", "the model's name");
  size_t architecture = 0;
  reader.ReadWord("model", {"ptrnet", "GT+RL", "gt"}, architecture);
  ReadProblem(reader, config.problem);
  ReadNetwork(reader, config.network);
  ReadTraining(reader, config);
  ReadSupervised(reader, config.supervised);
  ReadReinforce(reader, config.reinforce);
  ReadGraphTransformer(reader);
  reader.Read("validation.instances", {1, 10'000'000}, config.validation_instances);
  reader.Read("validation.seed", {0, kMaxSeed}, config.validation_seed);
  CheckTogether(reader, config);
  VRP_RETURN_IF_ERROR(reader.Finish());
  if (architecture != 0) {
    return absl::UnimplementedError(
        Concat(name,
               ": model: the graph transformer (GT+RL) is not there yet; use "
               "configs/ptrnet_tiny.yaml, which has the same sizes, or model=ptrnet"));
  }
  config.source = yaml;
  for (const std::string& text : overrides) config.source += Concat("\n# --set ", text);
  return config;
}

}  // namespace vrp
