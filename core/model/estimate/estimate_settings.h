// The settings of an estimate model, which its card holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/model/estimate/estimate_network.h"

namespace vrp {

// The network, the instances that it was trained on, and its errors in the validation.
struct EstimateSettings {
  EstimateNetworkOptions network = {};
  int32_t min_customers = 0;
  int32_t max_customers = 0;
  double windows = 0;  // share of instances with time windows
  int64_t instances = 0;
  uint64_t first_seed = 0;
  std::string labels = {};  // how costs to learn from were found
  double coverage = 0;      // share of costs that intervals should cover
  // Mean relative errors of costs in the validation, without and with windows; 0: there were none.
  double error = 0;
  double error_with_windows = 0;
};

// Returns the settings as JSON, for ModelCard::architecture_json.
std::string WriteEstimateSettings(const EstimateSettings& settings);
// Parses the text of WriteEstimateSettings. Returns kInvalidArgument that begins with
// `{name}: architecture_json`.
absl::StatusOr<EstimateSettings> ParseEstimateSettings(std::string_view text,
                                                       std::string_view name);

}  // namespace vrp
