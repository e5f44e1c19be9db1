// The settings of a dispatch model, which its card holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/day.h"
#include "core/dispatch/learning/features.h"
#include "core/model/dispatch/prize_network_options.h"

namespace vrp {

// The network, its features, and the days on which it was trained.
struct DispatchSettings {
  PrizeNetworkOptions network = {};
  FeatureOptions features = {};         // `decision` and `pairs` are not stored
  double shift = 0;                     // added to the output, in units of the site's mean distance
  std::vector<std::string> sites = {};  // names of the instances
  std::string log = {};  // request log that the days are of; empty: they were drawn from the sites
  int32_t days_per_site = 0;
  uint64_t first_seed = 0;  // day k of a site has the seed first_seed + k
  DayShape days = {};
};

// Returns the settings as JSON, for ModelCard::architecture_json.
std::string WriteDispatchSettings(const DispatchSettings& settings);
// Parses the text of WriteDispatchSettings. Returns kInvalidArgument that begins with
// `{name}: architecture_json`.
absl::StatusOr<DispatchSettings> ParseDispatchSettings(std::string_view text,
                                                       std::string_view name);

}  // namespace vrp
