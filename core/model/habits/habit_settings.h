// The settings of a habit model, which its card holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/habits/counts/count_tables.h"
#include "core/model/habits/sequence_parameters.h"

namespace vrp {

// Name of the learner of core/habits/counts, in configurations and cards.
inline constexpr std::string_view kCountsLearner = "counts";
// Name of the sequence transformer as a learner.
inline constexpr std::string_view kTransformerLearner = "transformer";

// The learner, its smoothing or sizes, and the routes that it learned from.
struct HabitSettings {
  std::string learner{kCountsLearner};
  CoordinateSystem coordinates = CoordinateSystem::kPlanar;
  // Unused by the transformer: the smoothing, and the unit of distances.
  CountParameters parameters = {};
  double leg_length = 1;  // see CountTables
  // Unused by counts: the network, whose number of features is in the weights.
  SequenceTransformerOptions network = {};
  int32_t earlier_routes = 0;  // of the same driver, before today's
  std::string history = {};
  int64_t first_day = 0;  // of the routes, in days since 1970-01-01
  int64_t last_day = 0;
  int64_t routes = 0;  // learned from
  // Figures of routes that were not learned from when they were computed, see HabitScore.
  int64_t validation_days = 0;
  double next_stop_accuracy = 0;
  double route_similarity = 0;
};

// Returns the settings as JSON, for ModelCard::architecture_json.
std::string WriteHabitSettings(const HabitSettings& settings);
// Parses the text of WriteHabitSettings. Returns kInvalidArgument that begins with
// `{name}: architecture_json`, and kFailedPrecondition for a learner of a newer program.
absl::StatusOr<HabitSettings> ParseHabitSettings(std::string_view text, std::string_view name);

}  // namespace vrp
