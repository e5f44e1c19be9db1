// The description beside a model's weights: the data needed to load the model, and its origin.
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

// Names of the files in a model's directory.
inline constexpr std::string_view kWeightsFile = "weights.safetensors";
inline constexpr std::string_view kCardFile = "card.json";
// ModelCard::architecture of dispatch models (core/model/dispatch), which predict prizes of
// requests and plan no routes.
inline constexpr std::string_view kDispatchArchitecture = "dispatch";
// ModelCard::architecture of habit models (core/model/habits), which say where drivers go next and
// plan no routes.
inline constexpr std::string_view kHabitsArchitecture = "habits";
// ModelCard::architecture of estimate models (core/model/estimate), which say what plans would cost
// and plan no routes.
inline constexpr std::string_view kEstimateArchitecture = "estimate";
// Schema version of the cards that WriteModelCard writes.
inline constexpr int kCardSchemaVersion = 2;

// The quality of the network's plans without search, on one set of instances.
struct CardEvaluation {
  std::string data = {};  // name of the set of instances
  std::string mode = {};  // "greedy", "multi_start 8"
  int64_t instances = 0;
  double mean_cost = 0;
  double standard_error = 0;   // standard error of the mean
  std::string reference = {};  // reference of the gap, see gap_reference.h; empty: none
  double mean_gap = 0;         // mean of the instances' gaps; NaN: no reference
  double gap_standard_error = 0;
  double instances_per_second = 0;
  absl::Time date = {};
};
// Largest number of evaluations that a card keeps.
inline constexpr size_t kMaxCardEvaluations = 50;
// The largest size of a card file, in bytes.
inline constexpr int64_t kMaxCardBytes = int64_t{4} << 20;

// The contents of a card file.
struct ModelCard {
  std::string architecture;       // Architecture::name
  std::string architecture_json;  // the architecture's sizes, as {"hidden": 256, "layers": 2, ...}
  std::vector<ProblemKind> kinds;
  std::vector<std::string> input_features;
  int64_t parameters = 0;
  // The training job's name "trainingJobs/{id}", or LiveJobName's for weights published during the
  // job. Empty for imported weights.
  std::string training_job;
  // The sweep of which that job was the best trial, "sweeps/{id}", and the trial's number, from 1.
  // Empty and 0 for jobs that were submitted alone.
  std::string sweep = {};
  int64_t trial = 0;
  std::string training_config;  // the YAML configuration of the training
  int64_t steps = 0;
  int64_t epoch = 0;                // epoch of the last step, from 1; 0: unknown
  std::string publish_reason = {};  // from PublishReasonName; empty: unknown
  double validation_cost = 0;       // mean cost of greedy plans over the validation set
  double validation_reference = 0;  // mean cost of `reference` on the same set
  // Mean of the instances' gaps to `reference`; NaN: unknown, as in cards of schema 1.
  double validation_gap = std::numeric_limits<double>::quiet_NaN();
  std::string reference = {};  // "nearest neighbour"; empty: unknown
  absl::Time created;
  std::string weights_sha256;
  std::vector<CardEvaluation> evaluations;  // newest last; at most kMaxCardEvaluations
};

// Describes the kind of a model that plans no routes: "a dispatch model, which ...". Returns an
// empty text for a model that plans routes.
std::string_view KindWithoutRoutes(const ModelCard& card);

// Returns "trainingJobs/{id}/steps/{n}", the training_job of weights that were published during the
// job, after step `step`.
std::string LiveJobName(std::string_view job_name, int64_t step);
// Whether the weights were published while their training job ran.
bool IsLive(const ModelCard& card);

// Returns the card as JSON, {"schema_version": 2, ...}. Optional keys are `evaluations`, `epoch`,
// `publish_reason`, `sweep` and `trial`.
std::string WriteModelCard(const ModelCard& card);
// Reads the text of WriteModelCard. Accepts cards of schema 1: they have neither validation_gap nor
// reference, and the references of their evaluations get the current names. Refuses newer schemas
// by number. Errors name file and key.
absl::StatusOr<ModelCard> ParseModelCard(std::string_view text, std::string_view name);

}  // namespace vrp
