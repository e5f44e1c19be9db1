// A training job's configuration: strict YAML, where every key is known, typed and in range.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/pointer_network_options.h"
#include "core/problem/instance.h"

namespace vrp {

enum class TrainingMethod { kSupervised, kReinforce };
enum class LabelSource { kHeuristic, kFile };

struct ProblemConfig {
  ProblemKind kind = ProblemKind::kCvrp;
  int32_t customers = 20;  // TSP: cities
  double capacity = 0;     // 0: the distribution's own
  uint64_t seed = 1234;
};

struct SupervisedConfig {
  LabelSource labels = LabelSource::kHeuristic;
  std::string label_file;  // on the daemon's machine; JSON lines with ref_routes
  int64_t heuristic_iterations =
      50;  // of the search that makes an instance's label; 0: its first descent
  int64_t samples = 10000;
  double teacher_forcing_start = 1;  // ratio, linear from the first to the last epoch
  double teacher_forcing_end = 1;
};

struct ReinforceConfig {
  double baseline_significance =
      0.05;  // paired t-test (Kool et al. 2019): replace the baseline below it
  int64_t baseline_instances = 1000;  // on which policy and baseline are compared after each epoch
  int64_t warmup_epochs = 1;          // exponential moving average until then
};

struct TrainingConfig {
  std::string name;              // of the model that comes out
  std::string model = "ptrnet";  // the graph transformer ("GT+RL") is refused: it is not there yet
  ProblemConfig problem;
  TrainingMethod method = TrainingMethod::kReinforce;
  PointerNetworkOptions network;
  SupervisedConfig supervised;
  ReinforceConfig reinforce;
  int64_t epochs = 10;
  int64_t batches_per_epoch = 25;  // supervised: samples / batch_size, rounded up, instead
  int32_t batch_size = 128;
  double learning_rate = 1e-3;
  double learning_rate_decay = 1;  // factor an epoch
  double gradient_clip = 1;        // norm
  bool amp = false;                // bf16 autocast, where the device has it in hardware
  uint64_t seed = 1;
  int64_t checkpoint_every_steps = 100;
  int64_t validation_instances = 1000;
  uint64_t validation_seed = 4321;
  std::string source;  // the YAML itself, and the overrides as comments

  // Of an epoch, by the method.
  int64_t StepsPerEpoch() const;
};

// One `key.path=value` each, applied after parsing, checked like the file.
using ConfigOverrides = std::vector<std::string>;

// `name` (the file's) stands in errors: `ptrnet.yaml:12: training.batch_size: got "many", wanted an
// integer from 1 to 65536`. All errors that can be found at once are given, a line each.
// kUnimplemented for a model that is not there yet, with the configuration to use instead.
absl::StatusOr<TrainingConfig> ParseTrainingConfig(std::string_view yaml, std::string_view name,
                                                   const ConfigOverrides& overrides = {});

}  // namespace vrp
