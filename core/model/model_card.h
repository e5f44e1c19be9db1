// What stands beside the weights of a model: enough to load it, and to know where it came from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/problem/instance.h"

namespace vrp {

inline constexpr std::string_view kWeightsFile = "weights.safetensors";
inline constexpr std::string_view kCardFile = "card.json";
inline constexpr int kCardSchemaVersion = 1;

struct ModelCard {
  std::string architecture;       // "ptrnet"
  std::string architecture_json;  // its sizes, as {"hidden": 256, "layers": 2, ...}
  std::vector<ProblemKind> kinds;
  std::vector<std::string> input_features;
  int64_t parameters = 0;
  std::string training_job;     // "trainingJobs/..."; empty for imported weights
  std::string training_config;  // the YAML that trained it
  int64_t steps = 0;
  double validation_cost = 0;       // greedy, mean over the validation set
  double validation_reference = 0;  // the nearest-neighbour builder's mean on the same set
  absl::Time created;
  std::string weights_sha256;
};

// Schema: {"schema_version": 1, ...}. A newer one is refused by its number. Errors name the file
// and the key.
std::string WriteModelCard(const ModelCard& card);
absl::StatusOr<ModelCard> ParseModelCard(std::string_view text, std::string_view name);

}  // namespace vrp
