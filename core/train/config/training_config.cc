#include "core/train/config/training_config.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/generate/instance_draws.h"
#include "core/train/config/config_reader.h"
#include "core/train/config/config_writer.h"
#include "core/train/config/unused_settings.h"

namespace vrp {
namespace {

constexpr int64_t kTrainingConfigSchemaVersion = 1;
constexpr int64_t kMaxSeed = std::numeric_limits<int64_t>::max();
constexpr int64_t kMaxSteps = 1'000'000'000;
constexpr int32_t kMaxCustomers = 1000;
// Instances x trajectories x nodes of a batch: choices, and what an engine keeps a step of each.
constexpr int64_t kMaxChoices = int64_t{1} << 26;

template <typename T>
bool AreAll(const std::vector<T>& items, T one) {
  return std::all_of(items.begin(), items.end(), [one](T item) { return item == one; });
}

void ReadKinds(ConfigReader& reader, ProblemConfig& problem) {
  constexpr std::array<ProblemKind, 3> kKinds = {ProblemKind::kCvrp, ProblemKind::kVrptw,
                                                 ProblemKind::kTsp};
  const bool several = reader.Has("problem.kinds");
  if (several && reader.Has("problem.kind")) {
    reader.Refuse("problem.kinds", "one of problem.kind and problem.kinds, not both");
  }
  std::vector<size_t> words;
  for (const ProblemKind kind : problem.kinds) {
    words.push_back(
        static_cast<size_t>(std::find(kKinds.begin(), kKinds.end(), kind) - kKinds.begin()));
  }
  reader.Know(several ? "problem.kind" : "problem.kinds");
  reader.ReadWords(several ? "problem.kinds" : "problem.kind", {"cvrp", "vrptw", "tsp"}, words);
  problem.kinds.clear();
  for (const size_t word : words) problem.kinds.push_back(kKinds[word]);

  words.clear();
  for (const Layout layout : problem.layouts) words.push_back(static_cast<size_t>(layout));
  reader.ReadWords("problem.layouts", {"uniform", "clustered", "x"}, words);
  problem.layouts.clear();
  for (const size_t word : words) problem.layouts.push_back(static_cast<Layout>(word));
}

void ReadProblem(ConfigReader& reader, ProblemConfig& problem) {
  ReadKinds(reader, problem);
  const auto has = [&problem](ProblemKind kind) {
    return std::find(problem.kinds.begin(), problem.kinds.end(), kind) != problem.kinds.end();
  };
  const int64_t least = has(ProblemKind::kTsp) ? 2 : 1;
  reader.ReadRange("problem.customers", {least, kMaxCustomers}, problem.customers.low,
                   problem.customers.high);
  reader.Read("problem.customers_skew", {1.0, 10.0}, problem.customers_skew);
  reader.ReadRange("problem.capacity", {0.0, 1e9}, problem.capacity.low, problem.capacity.high);
  const bool own = problem.capacity == NumberRange{};
  if (!own && problem.capacity.low < kMaxDemand) {
    reader.Refuse("problem.capacity",
                  "0 (the distribution's own), or at least 9, the largest demand");
  }
  reader.Read("problem.open_routes", {0.0, 1.0}, problem.open_routes);
  reader.Read("problem.distance_limit", {0.0, 1.0}, problem.distance_limit);
  reader.Read("problem.backhauls", {0.0, 1.0}, problem.backhauls);
  reader.Read("problem.seed", {0, kMaxSeed}, problem.seed);
  reader.ReadTexts("problem.instances", problem.instances);
  reader.Read("problem.augment", problem.augment);
  reader.Read("problem.demand_jitter", {0.0, 0.9}, problem.demand_jitter);
}

void CheckWidth(ConfigReader& reader, std::string_view path, int32_t width) {
  if (width % kWidthMultiple != 0) reader.Refuse(path, Concat("a multiple of ", kWidthMultiple));
}

void ReadNetwork(ConfigReader& reader, PointerNetworkOptions& network) {
  reader.Read("network.hidden", {kWidthMultiple, kMaxHidden}, network.hidden);
  reader.Read("network.layers", {1, kMaxLayers}, network.layers);
  reader.Read("network.dropout", {0.0, kMaxDropout}, network.dropout);
  reader.Read("network.logit_clip", {kMinLogitClip, kMaxLogitClip}, network.logit_clip);
  CheckWidth(reader, "network.hidden", network.hidden);
}

void ReadGraphTransformer(ConfigReader& reader, GraphTransformerOptions& network) {
  constexpr std::array<NormKind, 2> kNorms = {NormKind::kInstance, NormKind::kFrozenBatch};
  reader.Read("graph_transformer.hidden", {kWidthMultiple, kMaxTransformerHidden}, network.hidden);
  reader.Read("graph_transformer.heads", {1, kMaxTransformerHeads}, network.heads);
  reader.Read("graph_transformer.feed_forward", {kWidthMultiple, kMaxTransformerFeedForward},
              network.feed_forward);
  reader.Read("graph_transformer.layers", {1, kMaxTransformerLayers}, network.layers);
  size_t norm = 0;
  reader.ReadWord("graph_transformer.norm", {"instance", "frozen_batch"}, norm);
  network.norm = kNorms[norm];
  reader.Read("graph_transformer.edge_bias", network.edge_bias);
  reader.Read("graph_transformer.logit_clip", {kMinLogitClip, kMaxLogitClip}, network.logit_clip);
  CheckWidth(reader, "graph_transformer.hidden", network.hidden);
  CheckWidth(reader, "graph_transformer.feed_forward", network.feed_forward);
  if (network.hidden % network.heads != 0) {
    reader.Refuse("graph_transformer.heads",
                  Concat("a divisor of graph_transformer.hidden, ", network.hidden));
  }
}

void ReadSchedule(ConfigReader& reader, TrainingConfig& config) {
  size_t schedule = static_cast<size_t>(config.schedule);
  reader.ReadWord("training.schedule", {"constant", "exponential", "step", "linear", "cosine"},
                  schedule);
  config.schedule = static_cast<Schedule>(schedule);
  reader.Read("training.learning_rate", {1e-9, 1.0}, config.learning_rate);
  reader.Read("training.learning_rate_decay", {0.01, 1.0}, config.learning_rate_decay);
  reader.ReadIntegers("training.milestones", {1, 1'000'000}, config.milestones);
  reader.Read("training.final_learning_rate", {0.0, 1.0}, config.final_learning_rate);
  reader.Read("training.warmup_steps", {0, kMaxSteps}, config.warmup_steps);
  if (config.schedule == Schedule::kStep && config.milestones.empty()) {
    reader.Refuse("training.milestones", "epochs, because training.schedule is \"step\"");
  }
}

void ReadPrecision(ConfigReader& reader, TrainingConfig& config) {
  constexpr std::array<Precision, 2> kTypes = {Precision::kBf16, Precision::kFp16};
  size_t type = 0;
  reader.Read("training.amp", config.amp);
  reader.ReadWord("training.amp_type", {"bf16", "fp16"}, type);
  config.amp_type = kTypes[type];
  reader.Read("training.tf32", config.tf32);
  reader.Read("training.deterministic", config.deterministic);
  reader.Read("training.gradient_checkpointing", config.gradient_checkpointing);
}

void ReadTraining(ConfigReader& reader, TrainingConfig& config) {
  size_t method = 0;
  reader.ReadWord("training.method", {"reinforce", "self_labelling", "supervised"}, method);
  config.method = static_cast<TrainingMethod>(method);
  reader.Read("training.epochs", {1, 1'000'000}, config.epochs);
  reader.Read("training.batches_per_epoch", {1, 1'000'000}, config.batches_per_epoch);
  reader.Read("training.batch_size", {1, 65536}, config.batch_size);
  reader.Read("training.accumulate_steps", {1, 65536}, config.accumulate_steps);
  ReadSchedule(reader, config);
  reader.Read("training.weight_decay", {0.0, 1.0}, config.weight_decay);
  reader.Read("training.gradient_clip", {1e-6, 1e6}, config.gradient_clip);
  reader.Read("training.weight_average", {0.0, 0.99999}, config.weight_average);
  reader.Read("training.patience", {0, 1'000'000}, config.patience);
  size_t publish = 0;
  reader.ReadWord("training.publish", {"best", "last"}, publish);
  config.publish = static_cast<PublishRule>(publish);
  ReadPrecision(reader, config);
  reader.Read("training.initial_model", config.initial_model);
  reader.Read("training.seed", {0, kMaxSeed}, config.seed);
  reader.Read("training.checkpoint_every_steps", {1, kMaxSteps}, config.checkpoint_every_steps);
  reader.Read("training.keep_last_checkpoints", {1, 1000}, config.keep_last_checkpoints);
  reader.Read("training.keep_best_checkpoints", {0, 1000}, config.keep_best_checkpoints);
  if (config.accumulate_steps > config.batch_size) {
    reader.Refuse("training.accumulate_steps",
                  Concat("at most training.batch_size, ", config.batch_size));
  }
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
  reader.Read("supervised.label_smoothing", {0.0, 0.9}, supervised.label_smoothing);
  if (supervised.labels == LabelSource::kFile && supervised.label_file.empty()) {
    reader.Refuse("supervised.label_file", "a file, because supervised.labels is \"file\"");
  }
}

void ReadReinforce(ConfigReader& reader, ReinforceConfig& reinforce) {
  size_t baseline = 0;
  reader.ReadWord("reinforce.baseline", {"greedy_rollout", "exponential", "pomo", "samples"},
                  baseline);
  reinforce.baseline = static_cast<Baseline>(baseline);
  reader.Read("reinforce.baseline_significance", {1e-9, 1.0}, reinforce.baseline_significance);
  reader.Read("reinforce.baseline_instances", {2, 10'000'000}, reinforce.baseline_instances);
  reader.Read("reinforce.warmup_epochs", {0, 1'000'000}, reinforce.warmup_epochs);
  reader.Read("reinforce.average_decay", {0.0, 0.9999}, reinforce.average_decay);
  reader.Read("reinforce.starts", {0, kMaxCustomers}, reinforce.starts);
  if (reinforce.starts == 1 && reinforce.baseline == Baseline::kPomo) {
    reader.Refuse("reinforce.starts", "0 (all customers), or at least 2 to compare");
  }
  reader.Read("reinforce.samples", {2, kMaxCustomers}, reinforce.samples);
}

void ReadLoader(ConfigReader& reader, LoaderConfig& loader) {
  reader.Read("loader.workers", {0, 64}, loader.workers);
  reader.Read("loader.prefetch", {1, 64}, loader.prefetch);
  reader.Read("loader.memory_mb", {1, 1'000'000}, loader.memory_mb);
  reader.Read("loader.pin", loader.pin);
  loader.states_pin = reader.Has("loader.pin");
}

void ReadValidation(ConfigReader& reader, ValidationConfig& validation) {
  reader.Read("validation.instances", {1, 10'000'000}, validation.instances);
  reader.Read("validation.seed", {0, kMaxSeed}, validation.seed);
  reader.Read("validation.file", validation.file);
  size_t reference = 0;
  reader.ReadWord("validation.reference", {"nearest_neighbour", "search", "file"}, reference);
  validation.reference = static_cast<Reference>(reference);
  reader.Read("validation.reference_iterations", {0, 10'000'000}, validation.reference_iterations);
  if (validation.reference == Reference::kFile && validation.file.empty()) {
    reader.Refuse("validation.file",
                  "a file with ref_cost, because validation.reference is \"file\"");
  }
}

int64_t TrajectoriesOf(const TrainingConfig& config) {
  if (config.method == TrainingMethod::kSelfLabelling) return config.self_labelling_samples;
  if (config.method != TrainingMethod::kReinforce) return 1;
  const ReinforceConfig& reinforce = config.reinforce;
  if (reinforce.baseline == Baseline::kSamples) return reinforce.samples;
  if (reinforce.baseline != Baseline::kPomo) return 1;
  return reinforce.starts > 0 ? reinforce.starts : config.problem.customers.high;
}

void CheckProblem(ConfigReader& reader, const TrainingConfig& config) {
  const ProblemConfig& problem = config.problem;
  const bool tsp_alone = AreAll(problem.kinds, ProblemKind::kTsp);
  const bool attributes = problem.open_routes + problem.distance_limit + problem.backhauls > 0;
  if (tsp_alone && attributes) {
    reader.Refuse("problem.kind", "another kind with open_routes, distance_limit or backhauls");
  }
  if (AreAll(problem.layouts, Layout::kX) && problem.capacity != NumberRange{}) {
    reader.Refuse("problem.capacity", "none: the layout \"x\" draws its own");
  }
  if (config.method == TrainingMethod::kSupervised && !problem.instances.empty()) {
    reader.Refuse("problem.instances",
                  "none with training.method: supervised, which reads supervised.label_file");
  }
}

// problem.features: the network's inputs in their order, `builtin` for all of the usual ones.
void ReadFeatures(ConfigReader& reader, TrainingConfig& config) {
  std::vector<std::string> words;
  reader.ReadTexts("problem.features", words);
  if (words.empty()) return;
  const std::vector<std::string> usual = UsualInputs(config.model);
  std::vector<std::string> inputs;
  for (const std::string& word : words) {
    if (word == "builtin") {
      inputs.insert(inputs.end(), usual.begin(), usual.end());
    } else {
      inputs.push_back(word);
    }
  }
  if (const std::string wanted = WantedInputs(config.model, inputs); !wanted.empty()) {
    return reader.Refuse("problem.features", wanted);
  }
  if (inputs == usual) return;
  (config.IsGraphTransformer() ? config.graph_transformer.inputs : config.network.inputs) = inputs;
}

// Generated instances have no feature columns.
void CheckFeatures(ConfigReader& reader, const TrainingConfig& config) {
  const std::vector<std::string> own = config.Inputs().form.own_columns;
  if (own.empty()) return;
  const bool supervised = config.method == TrainingMethod::kSupervised;
  if (!supervised && config.problem.instances.empty()) {
    reader.Refuse(
        "problem.features",
        Concat("built-in inputs alone, or problem.instances: generated instances have no ",
               "column ", Quoted(own.front())));
  }
  if (supervised && config.supervised.labels != LabelSource::kFile) {
    reader.Refuse("problem.features",
                  Concat("built-in inputs alone, or supervised.labels: file: generated instances ",
                         "have no column ", Quoted(own.front())));
  }
  if (config.problem.instances.empty() && config.validation.file.empty()) {
    reader.Refuse("validation.file",
                  Concat("a file or dataset whose instances have the column ", Quoted(own.front()),
                         " of problem.features, which generated ones do not"));
  }
}

void CheckTogether(ConfigReader& reader, const TrainingConfig& config) {
  if (config.validation.seed == config.problem.seed && config.problem.instances.empty() &&
      config.validation.file.empty()) {
    reader.Refuse("validation.seed",
                  "another seed than problem.seed, or it would test on training data");
  }
  const int64_t nodes = config.problem.customers.high + 1;
  const int64_t most = kMaxChoices / (nodes * std::max(nodes, TrajectoriesOf(config)));
  if (config.batch_size > most) {
    reader.Refuse("training.batch_size",
                  Concat("at most ", most, " at ", config.problem.customers.high,
                         " customers, or memory would not suffice"));
  }
  if (config.StepsPerEpoch() > kMaxSteps / config.epochs) {
    reader.Refuse("training.epochs", Concat("at most ", kMaxSteps, " steps in all"));
  }
  CheckProblem(reader, config);
  CheckFeatures(reader, config);
}

// Reads all keys, and checks them against each other. `name` is the file's.
absl::StatusOr<TrainingConfig> ReadConfig(ConfigReader& reader, std::string_view name,
                                          ConfigOrigin origin) {
  int64_t schema = kTrainingConfigSchemaVersion;
  reader.Read("schema_version", {1, kMaxSeed}, schema);
  if (schema > kTrainingConfigSchemaVersion) {
    // The rest of it may have keys that are not known here.
    return absl::InvalidArgumentError(Concat(
        name, ": schema_version: got ", schema, ", wanted at most ", kTrainingConfigSchemaVersion,
        " (the configuration was written for a newer program: submit it to that one)"));
  }
  TrainingConfig config;
  reader.Require("name");
  reader.Read("name", config.name);
  if (reader.Has("name") && config.name.empty()) reader.Refuse("name", "the model's name");
  size_t architecture = 0;
  reader.ReadWord("model", {"ptrnet", "GT+RL", "gt"}, architecture);
  config.model = architecture == 0 ? "ptrnet" : "gt";
  ReadProblem(reader, config.problem);
  ReadNetwork(reader, config.network);
  ReadGraphTransformer(reader, config.graph_transformer);
  ReadTraining(reader, config);
  ReadSupervised(reader, config.supervised);
  ReadReinforce(reader, config.reinforce);
  reader.Read("self_labelling.samples", {2, 10'000}, config.self_labelling_samples);
  ReadLoader(reader, config.loader);
  ReadValidation(reader, config.validation);
  ReadFeatures(reader, config);
  CheckTogether(reader, config);
  SetAsideUnused(reader, config, origin);
  VRP_RETURN_IF_ERROR(reader.Finish());
  return config;
}

}  // namespace

int64_t TrainingConfig::StepsPerEpoch() const {
  if (method != TrainingMethod::kSupervised) return batches_per_epoch;
  return (supervised.samples + batch_size - 1) / batch_size;
}

NetworkInputs TrainingConfig::Inputs() const {
  return InputsOf(model, IsGraphTransformer() ? graph_transformer.inputs : network.inputs);
}

std::string TrainingConfig::ArchitectureJson() const {
  return IsGraphTransformer() ? WriteGraphTransformerOptions(graph_transformer)
                              : WritePointerNetworkOptions(network);
}

absl::StatusOr<TrainingConfig> ParseTrainingConfig(std::string_view yaml, std::string_view name,
                                                   const ConfigOverrides& overrides,
                                                   ConfigOrigin origin) {
  VRP_ASSIGN_OR_RETURN(const YamlNode root, ParseYamlTree(yaml, name));
  ConfigReader reader(root, name, overrides);
  VRP_ASSIGN_OR_RETURN(TrainingConfig config, ReadConfig(reader, name, origin));
  config.source = yaml;
  for (const std::string& text : overrides) config.source += Concat("\n# --set ", text);
  return config;
}

absl::StatusOr<ResolvedConfig> ResolveTrainingConfig(std::string_view yaml, std::string_view name,
                                                     const ConfigOverrides& overrides) {
  VRP_ASSIGN_OR_RETURN(const YamlNode root, ParseYamlTree(yaml, name));
  ConfigReader reader(root, name, overrides);
  VRP_RETURN_IF_ERROR(ReadConfig(reader, name, ConfigOrigin::kNew).status());
  // Stating it means that a CPU says that it ignores it.
  if (!reader.Has("loader.pin")) reader.LeaveOut("loader.pin");
  const std::vector<ConfigSetting> settings = reader.Resolved();
  ResolvedConfig resolved = {.yaml = WriteConfig(settings), .settings = {}};
  for (const ConfigSetting& setting : settings) resolved.settings[setting.path] = setting.Text();
  return resolved;
}

absl::StatusOr<std::map<std::string, std::string>> TrainingSettings(
    std::string_view yaml, std::string_view name, const ConfigOverrides& overrides) {
  VRP_ASSIGN_OR_RETURN(const YamlNode root, ParseYamlTree(yaml, name));
  return ConfigReader(root, name, overrides).Settings();
}

}  // namespace vrp
