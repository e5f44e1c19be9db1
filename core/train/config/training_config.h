// The configuration of a training job: strict YAML, in which every key is known, typed and in
// range.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/architectures.h"
#include "core/model/policy/engine_options.h"
#include "core/model/policy/network_inputs.h"
#include "core/problem/generate/layouts.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// A range with both ends included; a single value if they are equal.
struct IntegerRange {
  int32_t low = 0;
  int32_t high = 0;

  bool operator==(const IntegerRange&) const = default;
};
// A range of real numbers, with the ends as above.
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

// The instances to train on: generated ones, or a user's. Each generated instance draws its kind,
// layout and attributes; each batch draws its size.
struct ProblemConfig {
  // A kind that is named twice is drawn twice as often; the same holds for layouts.
  std::vector<ProblemKind> kinds = {ProblemKind::kCvrp};
  IntegerRange customers = {20, 20};  // TSP: cities
  // Sizes are drawn by u^skew, u uniform in [0, 1): with 1 uniformly, above 1 more small ones.
  double customers_skew = 1;
  NumberRange capacity;  // whole numbers; 0: the distribution's own
  std::vector<Layout> layouts = {Layout::kUniform};
  double open_routes = 0;  // probability of open routes; the next two accordingly
  double distance_limit = 0;
  double backhauls = 0;
  uint64_t seed = 1234;
  // Files on the daemon's machine, instead of generated instances.
  std::vector<std::string> instances;
  bool augment = true;       // whether files' instances get random symmetry augmentations
  double demand_jitter = 0;  // of files' instances: largest change of a demand, as a share

  bool operator==(const ProblemConfig&) const = default;
};

// training.method: supervised.
struct SupervisedConfig {
  LabelSource labels = LabelSource::kHeuristic;
  std::string label_file;             // on the daemon's machine; JSON lines with ref_routes
  int64_t heuristic_iterations = 50;  // of the search for each label; 0: its first descent
  int64_t samples = 10000;
  double teacher_forcing_start = 1;  // probability, linear from the first to the last epoch
  double teacher_forcing_end = 1;
  double label_smoothing = 0;

  bool operator==(const SupervisedConfig&) const = default;
};

// training.method: reinforce.
struct ReinforceConfig {
  Baseline baseline = Baseline::kGreedyRollout;
  // p-value of the paired t-test (Kool et al. 2019) below which the baseline is replaced.
  double baseline_significance = 0.05;
  int64_t baseline_instances = 1000;  // on which policy and baseline are compared after each epoch
  int64_t warmup_epochs = 1;          // epochs with a moving average as the baseline
  double average_decay = 0.8;         // of that average, per step
  int32_t starts = 0;                 // pomo: trajectories per instance; 0: as many as customers
  int32_t samples = 8;                // samples: trajectories per instance

  bool operator==(const ReinforceConfig&) const = default;
};

// The threads that make batches.
struct LoaderConfig {
  int32_t workers = 1;      // threads that make batches ahead; 0: batches are made when needed
  int32_t prefetch = 2;     // batches ahead
  int64_t memory_mb = 64;   // for a labelled set; a larger one is read in pieces
  bool pin = true;          // page-locked memory for the copy to a GPU
  bool states_pin = false;  // whether the configuration states `pin`

  bool operator==(const LoaderConfig&) const = default;
};

// The validation after each epoch.
struct ValidationConfig {
  int64_t instances = 1000;
  uint64_t seed = 4321;
  std::string file;  // instances as JSON lines, instead of generated ones
  Reference reference = Reference::kNearestNeighbour;
  int64_t reference_iterations = 200;  // of the search

  bool operator==(const ValidationConfig&) const = default;
};

struct TrainingConfig {
  std::string name;  // of the trained model
  // The value of `model`, and the sizes in its section.
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
  int64_t batches_per_epoch = 25;  // not supervised, with samples / batch_size, rounded up
  int32_t batch_size = 128;        // instances per step
  int32_t accumulate_steps = 1;    // parts of a step
  double learning_rate = 1e-3;
  Schedule schedule = Schedule::kExponential;
  double learning_rate_decay = 1;   // factor per epoch (exponential) or per milestone (step)
  std::vector<int64_t> milestones;  // step: epochs, ascending
  double final_learning_rate = 0;   // linear and cosine: at the last step
  int64_t warmup_steps = 0;         // linear from 0
  double weight_decay = 0;          // decoupled; of matrices, not of biases and norms
  double gradient_clip = 1;         // largest norm of the gradient
  double weight_average = 0;        // decay of the published weights' average; 0: the last weights
  int64_t patience = 0;  // epochs without a better validation before the end; 0: no limit
  PublishRule publish = PublishRule::kBest;  // the best validation's weights, or the last weights
  bool amp = false;                          // bf16 (or fp16 by amp_type), if the device has it
  Precision amp_type = Precision::kBf16;
  bool tf32 = false;
  bool deterministic = false;
  bool gradient_checkpointing = false;
  std::string initial_model;  // models/NAME/versions/N or /aliases/A, a model's folder or weights
  uint64_t seed = 1;
  int64_t checkpoint_every_steps = 100;
  int64_t keep_last_checkpoints = 2;
  int64_t keep_best_checkpoints = 0;  // by validation, besides these; written at ends of epochs
  std::string source;                 // the YAML itself, and the overrides as comments

  // Returns the steps of an epoch, which depend on the method.
  int64_t StepsPerEpoch() const;
  // Returns the network's inputs of a node.
  NetworkInputs Inputs() const;

  bool operator==(const TrainingConfig&) const = default;
};

// Settings `key.path=value`, applied after parsing and checked like the file; [a, b] is a list.
using ConfigOverrides = std::vector<std::string>;

// The origin of a configuration. A kept one was accepted when its job was created, perhaps by an
// older program that did not refuse the settings of unused_settings.h; its job continues unchanged.
enum class ConfigOrigin { kNew, kKept };

// Parses a configuration. Errors begin with `name`, the name of the file: `tiny.yaml:12:
// training.batch_size: got "many", wanted an integer from 1 to 65536`. Returns all errors that can
// be found at once, one per line.
absl::StatusOr<TrainingConfig> ParseTrainingConfig(std::string_view yaml, std::string_view name,
                                                   const ConfigOverrides& overrides = {},
                                                   ConfigOrigin origin = ConfigOrigin::kNew);

// A configuration with its overrides and defaults: every key that its model and method read;
// loader.pin only if it is stated.
struct ResolvedConfig {
  std::string yaml;  // gives the same configuration when it is parsed
  // One text per key: numbers in their shortest form, a list of one as its item.
  std::map<std::string, std::string> settings;
};
// Resolves a configuration. Errors as of ParseTrainingConfig.
absl::StatusOr<ResolvedConfig> ResolveTrainingConfig(std::string_view yaml, std::string_view name,
                                                     const ConfigOverrides& overrides = {});

// Returns the settings that a configuration and its overrides state: {"training.epochs": "3"}. Only
// the syntax is checked.
absl::StatusOr<std::map<std::string, std::string>> TrainingSettings(
    std::string_view yaml, std::string_view name, const ConfigOverrides& overrides);

}  // namespace vrp
