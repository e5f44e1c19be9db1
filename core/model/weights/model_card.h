// What stands beside the weights of a model: enough to load it, and to know where it came from.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/problem/instance/instance.h"

namespace vrp {

inline constexpr std::string_view kWeightsFile = "weights.safetensors";
inline constexpr std::string_view kCardFile = "card.json";
inline constexpr int kCardSchemaVersion = 2;

// How good the network's plans were without search, on one set of instances.
struct CardEvaluation {
  std::string data = {};  // the set's name
  std::string mode = {};  // "greedy", "multi_start 8"
  int64_t instances = 0;
  double mean_cost = 0;
  double standard_error = 0;   // of the mean
  std::string reference = {};  // what the gap is to, see gap_reference.h; empty: nothing
  double mean_gap = 0;         // mean of the instances' gaps; NaN: no reference
  double gap_standard_error = 0;
  double instances_per_second = 0;
  absl::Time date = {};
};
inline constexpr size_t kMaxCardEvaluations = 50;
// Bounds a card file, in bytes.
inline constexpr int64_t kMaxCardBytes = int64_t{4} << 20;

struct ModelCard {
  std::string architecture;       // "ptrnet"
  std::string architecture_json;  // its sizes, as {"hidden": 256, "layers": 2, ...}
  std::vector<ProblemKind> kinds;
  std::vector<std::string> input_features;
  int64_t parameters = 0;
  // "trainingJobs/{id}", LiveJobName's of weights published while the job ran, or empty for
  // imported weights.
  std::string training_job;
  std::string training_config;  // the YAML that trained it
  int64_t steps = 0;
  int64_t epoch = 0;                // from 1, that of the last of `steps`; 0: not known
  std::string publish_reason = {};  // PublishReasonName's; empty: not known
  double validation_cost = 0;       // greedy, mean over the validation set
  double validation_reference = 0;  // mean cost of `reference` on the same set
  // Mean of the instances' gaps to `reference`; NaN: not known, as in cards of schema 1.
  double validation_gap = std::numeric_limits<double>::quiet_NaN();
  std::string reference = {};  // "nearest neighbour"; empty: not known
  absl::Time created;
  std::string weights_sha256;
  std::vector<CardEvaluation> evaluations;  // newest last; at most kMaxCardEvaluations
};

// Returns "trainingJobs/{id}/steps/{n}", the training_job of weights that were published live after
// step `step`: the job may publish others later.
std::string LiveJobName(std::string_view job_name, int64_t step);
// Whether the weights were published while their training job ran.
bool IsLive(const ModelCard& card);

// Schema: {"schema_version": 2, ...}; `evaluations` may be absent, as in the first cards. Cards of
// schema 1 are read too: they have no validation_gap, and their evaluations' references are
// converted to the current names. `epoch` and `publish_reason` may be absent. A newer schema is
// refused by its number. Errors name the file and the key.
std::string WriteModelCard(const ModelCard& card);
absl::StatusOr<ModelCard> ParseModelCard(std::string_view text, std::string_view name);

}  // namespace vrp
