// The configuration of a training job: strict YAML, in which every key is known, typed and in
// range.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/architectures.h"
#include "core/model/policy/engine_options.h"
#include "core/model/policy/network_inputs.h"
#include "core/problem/generate/layouts.h"
#include "core/problem/instance/instance.h"
#include "core/train/config/dispatch_config.h"
#include "core/train/config/estimate_config.h"
#include "core/train/config/habits_config.h"

namespace vrp {

// A range with both ends included; a single value if they are equal.
struct IntegerRange {
  int32_t low = 0;
  int32_t high = 0;

  bool operator==(const IntegerRange&) const = default;
};
// A range of real numbers with both ends included; a single value if they are equal.
struct NumberRange {
  double low = 0;
  double high = 0;

  bool operator==(const NumberRange&) const = default;
};

enum class TrainingMethod { kReinforce, kSelfLabelling, kSupervised };
enum class Baseline { kGreedyRollout, kExponential, kPomo, kSamples };
enum class LabelSource { kHeuristic, kFile };
enum class Schedule { kConstant, kExponential, kStep, kLinear, kCosine };
enum class Reference { kNearestNeighbour, kSearch, kFile };
enum class PublishRule { kBest, kLast };

// The instances to train on, generated or the user's. Each generated instance draws its kind,
// layout and attributes; each batch draws its size.
struct ProblemConfig {
  // Kinds to draw from. A kind that is named twice is drawn twice as often; the same holds for
  // layouts.
  std::vector<ProblemKind> kinds = {ProblemKind::kCvrp};
  IntegerRange customers = {20, 20};  // number of customers; TSP: of cities
  // Exponent of the sizes, which are drawn by u^skew with u uniform in [0, 1). 1 draws sizes
  // uniformly; a larger exponent draws more small ones.
  double customers_skew = 1;
  NumberRange capacity;  // a range draws whole numbers; 0: the distribution's own
  std::vector<Layout> layouts = {Layout::kUniform};
  double open_routes = 0;  // probability of open routes; the next two are probabilities too
  double distance_limit = 0;
  double backhauls = 0;
  uint64_t seed = 1234;
  // Files on the daemon's machine or datasets, instead of generated instances.
  std::vector<std::string> instances;
  bool augment = true;  // whether files' instances get random symmetry augmentations
  // Largest relative change of a demand, before rounding. Only for instances of files.
  double demand_jitter = 0;

  bool operator==(const ProblemConfig&) const = default;
};

// The section `supervised`, for training.method: supervised.
struct SupervisedConfig {
  LabelSource labels = LabelSource::kHeuristic;
  std::string label_file;             // path or dataset; JSON lines with ref_routes
  int64_t heuristic_iterations = 50;  // search iterations per label; 0: only its first descent
  int64_t samples = 10000;            // number of labels; a file may have fewer
  double teacher_forcing_start = 1;   // probability, linear from the first to the last epoch
  double teacher_forcing_end = 1;
  double label_smoothing = 0;

  bool operator==(const SupervisedConfig&) const = default;
};

// The section `reinforce`, for training.method: reinforce.
struct ReinforceConfig {
  Baseline baseline = Baseline::kGreedyRollout;
  // p-value of the paired t-test (Kool et al. 2019) below which the baseline is replaced.
  double baseline_significance = 0.05;
  int64_t baseline_instances = 1000;  // instances to compare policy and baseline after each epoch
  int64_t warmup_epochs = 1;          // epochs with a moving average as the baseline
  double average_decay = 0.8;         // decay per step of a moving average as the baseline
  int32_t starts = 0;                 // pomo: trajectories per instance; 0: the number of customers
  int32_t samples = 8;                // samples: trajectories per instance

  bool operator==(const ReinforceConfig&) const = default;
};

// The threads that make batches, and their memory.
struct LoaderConfig {
  int32_t workers = 1;         // threads that make batches ahead; 0: batches are made when needed
  int32_t prefetch = 2;        // number of batches made ahead
  int64_t memory_mb = 64;      // MiB for a labelled set; a larger set is read in pieces
  bool pin = true;             // whether copies to a GPU use page-locked memory
  bool pin_is_stated = false;  // whether the configuration states `pin`

  bool operator==(const LoaderConfig&) const = default;
};

// Settings of the validation after each epoch.
struct ValidationConfig {
  int64_t instances = 1000;
  uint64_t seed = 4321;
  std::string file;  // path or dataset; empty: problem.instances or generated instances
  Reference reference = Reference::kNearestNeighbour;
  int64_t reference_iterations = 200;  // iterations of the search per reference

  bool operator==(const ValidationConfig&) const = default;
};

// A parsed configuration.
struct TrainingConfig {
  std::string name;  // name of the trained model
  // Set with `model: dispatch`. Such a model reads no settings of problem, supervised, reinforce
  // and loader, and no architecture and sizes.
  std::optional<DispatchConfig> dispatch = std::nullopt;
  // Set with `model: habits`. With the learner that counts, such a model reads only this, `name`,
  // training.epochs (the passes over its parameters) and training.seed. The transformer reads what
  // dispatch models read of `training`.
  std::optional<HabitsConfig> habits = std::nullopt;
  // Set with `model: estimate`. Such a model reads what dispatch models read of `training`, and
  // `instances` and `seed` of `validation`.
  std::optional<EstimateConfig> estimate = std::nullopt;
  // The value of any other `model`, and the sizes in the architecture's section.
  const Architecture* architecture = &DefaultArchitecture();
  NetworkSizes sizes = DefaultArchitecture().default_sizes();
  ProblemConfig problem;
  TrainingMethod method = TrainingMethod::kReinforce;
  SupervisedConfig supervised;
  ReinforceConfig reinforce;
  int32_t self_labelling_samples = 32;  // samples per instance, the best of which is the label
  LoaderConfig loader;
  ValidationConfig validation;
  int64_t epochs = 10;
  int64_t batches_per_epoch = 25;  // not with supervised, see StepsPerEpoch
  int32_t batch_size = 128;        // instances per step
  int32_t accumulate_steps = 1;    // parts of a step
  int32_t workers = 1;             // processes that share out each step
  double learning_rate = 1e-3;
  Schedule schedule = Schedule::kExponential;
  double learning_rate_decay = 1;   // factor per epoch (exponential) or per milestone (step)
  std::vector<int64_t> milestones;  // epochs of schedule: step, ascending
  double final_learning_rate = 0;   // rate at the last step of linear and cosine schedules
  int64_t warmup_steps = 0;         // steps in which the rate grows linearly from 0
  double weight_decay = 0;          // decoupled; of matrices, not of biases and norms
  double gradient_clip = 1;         // largest norm of the gradient
  double weight_average = 0;        // decay of the published weights' average; 0: no average
  int64_t patience = 0;  // epochs without a better validation before the end; 0: no limit
  PublishRule publish = PublishRule::kBest;  // the best validation's weights, or the last weights
  bool amp = false;                          // whether to use amp_type if the device supports it
  Precision amp_type = Precision::kBf16;
  bool tf32 = false;           // whether fp32 products on a GPU may use TF32
  bool deterministic = false;  // whether runs on a GPU are bitwise equal, as always on a CPU
  // Whether a GPU recomputes encoder layers in the backward pass, see EngineOptions.
  bool gradient_checkpointing = false;
  std::string initial_model;  // models/NAME/versions/N or /aliases/A, a model's folder or weights
  uint64_t seed = 1;
  int64_t checkpoint_every_steps = 100;
  int64_t keep_last_checkpoints = 2;
  int64_t keep_best_checkpoints = 0;  // kept besides the last: those of the best validations
  std::string source;                 // the YAML itself, and the overrides as comments

  // Whether the model is a network that plans routes, which `architecture` describes.
  bool PlansRoutes() const {
    return !dispatch.has_value() && !habits.has_value() && !estimate.has_value();
  }
  // Returns ModelCard::architecture of the trained model.
  std::string_view ArchitectureName() const;
  // Returns the number of steps per epoch: batches_per_epoch, or with supervised the samples
  // divided by batch_size, rounded up.
  int64_t StepsPerEpoch() const;
  // Returns the inputs that the network reads of each node.
  NetworkInputs Inputs() const;

  bool operator==(const TrainingConfig&) const = default;
};

// Settings `key.path=value`, which are applied after parsing and checked like the file. [a, b] is a
// list.
using ConfigOverrides = std::vector<std::string>;

// The origin of a configuration. A kept configuration was accepted when its job was created. An
// older program may have accepted settings that unused_settings.h refuses now; the job continues
// unchanged.
enum class ConfigOrigin { kNew, kKept };

// Parses a configuration. Returns all errors that can be found together, one per line. Errors begin
// with `--set: ` if they are about an override, otherwise with `name`, the name of the file:
// `tiny.yaml:12: training.batch_size: got "many", wanted an integer from 1 to 65536`.
absl::StatusOr<TrainingConfig> ParseTrainingConfig(std::string_view yaml, std::string_view name,
                                                   const ConfigOverrides& overrides = {},
                                                   ConfigOrigin origin = ConfigOrigin::kNew);

// Parses TrainingConfig::source, as model cards hold it. It was accepted when it was trained.
absl::StatusOr<TrainingConfig> ParseConfigSource(std::string_view source, std::string_view name);

// A configuration with its overrides and defaults. It has every key that its model and method read,
// and loader.pin only if stated.
struct ResolvedConfig {
  std::string yaml;  // parsing it gives the same settings
  // One text per key. Numbers are in their shortest form; a list of one item is that item.
  std::map<std::string, std::string> settings;
};
// Resolves a configuration. Returns the errors of ParseTrainingConfig.
absl::StatusOr<ResolvedConfig> ResolveTrainingConfig(std::string_view yaml, std::string_view name,
                                                     const ConfigOverrides& overrides = {});

// Returns the settings that a configuration and its overrides state: {"training.epochs": "3"}.
// Checks only the syntax of the YAML.
absl::StatusOr<std::map<std::string, std::string>> TrainingSettings(
    std::string_view yaml, std::string_view name, const ConfigOverrides& overrides);

}  // namespace vrp
