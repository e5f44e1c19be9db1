#include "core/model/habits/habit_settings.h"

#include <cmath>
#include <limits>

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/settings_reader.h"
#include "core/problem/instance/choices.h"

namespace vrp {
namespace {

constexpr int64_t kMostDays = 4'000'000;  // beyond the year 9999

void ReadCoordinateSystem(SettingsReader& reader, CoordinateSystem& target) {
  const auto& names = kChoiceNames<CoordinateSystem>;
  std::string name;
  reader.Read("coordinates", name);
  if (name != names[0] && name != names[1]) {
    return reader.Refuse("coordinates", R"("planar" or "lon_lat")");
  }
  target = name == names[0] ? CoordinateSystem::kPlanar : CoordinateSystem::kLonLat;
}

// Reads a number from `low` to 1e12.
void ReadAtLeast(SettingsReader& reader, const char* key, double low, double& target) {
  reader.Read(key, target);
  if (!(target >= low && target <= 1e12)) reader.Refuse(key, Concat("a number of at least ", low));
}

void ReadParameters(SettingsReader& reader, CountParameters& parameters) {
  constexpr double kLeast = 1e-9;  // strengths above 0 keep all probabilities above 0
  ReadAtLeast(reader, "half_life_days", 0, parameters.half_life);
  ReadAtLeast(reader, "availability", kLeast, parameters.availability);
  ReadAtLeast(reader, "zone_strength", kLeast, parameters.zone_strength);
  ReadAtLeast(reader, "driver_zone_strength", kLeast, parameters.driver_zone_strength);
  ReadAtLeast(reader, "stop_strength", kLeast, parameters.stop_strength);
  ReadAtLeast(reader, "driver_stop_strength", kLeast, parameters.driver_stop_strength);
  ReadAtLeast(reader, "distance_power", 0, parameters.distance_power);
  if (parameters.distance_power > 10) reader.Refuse("distance_power", "a number of at most 10");
}

void WriteParameters(const HabitSettings& settings, nlohmann::ordered_json& json) {
  const CountParameters& parameters = settings.parameters;
  json["half_life_days"] = parameters.half_life;
  json["availability"] = parameters.availability;
  json["distance_power"] = parameters.distance_power;
  json["zone_strength"] = parameters.zone_strength;
  json["driver_zone_strength"] = parameters.driver_zone_strength;
  json["stop_strength"] = parameters.stop_strength;
  json["driver_stop_strength"] = parameters.driver_stop_strength;
  json["leg_length"] = settings.leg_length;
}

void WriteNetwork(const HabitSettings& settings, nlohmann::ordered_json& json) {
  json["layers"] = settings.network.layers;
  json["width"] = settings.network.width;
  json["heads"] = settings.network.heads;
  json["feed_forward"] = settings.network.feed_forward;
  json["positions"] = settings.network.positions;
  json["earlier_routes"] = settings.earlier_routes;
}

void ReadNetwork(SettingsReader& reader, HabitSettings& settings) {
  SequenceTransformerOptions& network = settings.network;
  // CheckSequenceOptions has the limits.
  reader.Read("layers", 1, INT32_MAX, network.layers);
  reader.Read("width", 1, INT32_MAX, network.width);
  reader.Read("heads", 1, INT32_MAX, network.heads);
  reader.Read("feed_forward", 1, INT32_MAX, network.feed_forward);
  reader.Read("positions", 1, INT32_MAX, network.positions);
  reader.Read("earlier_routes", 0, INT32_MAX, settings.earlier_routes);
}

}  // namespace

std::string WriteHabitSettings(const HabitSettings& settings) {
  nlohmann::ordered_json json;
  json["learner"] = settings.learner;
  json["coordinates"] = kChoiceNames<CoordinateSystem>[static_cast<size_t>(settings.coordinates)];
  if (settings.learner == kTransformerLearner) {
    WriteNetwork(settings, json);
  } else {
    WriteParameters(settings, json);
  }
  json["history"] = settings.history;
  json["first_day"] = settings.first_day;
  json["last_day"] = settings.last_day;
  json["routes"] = settings.routes;
  json["validation_days"] = settings.validation_days;
  json["next_stop_accuracy"] = settings.next_stop_accuracy;
  json["route_similarity"] = settings.route_similarity;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

absl::StatusOr<HabitSettings> ParseHabitSettings(std::string_view text, std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseSettings(text, name));
  HabitSettings settings;
  SettingsReader reader(json, name);
  reader.Read("learner", settings.learner);
  VRP_RETURN_IF_ERROR(reader.status());
  if (settings.learner != kCountsLearner && settings.learner != kTransformerLearner) {
    return absl::FailedPreconditionError(
        Concat(name, ": architecture_json.learner: got ", Quoted(settings.learner), ", wanted \"",
               kCountsLearner, "\" or \"", kTransformerLearner, "\"; a newer program may read it"));
  }
  ReadCoordinateSystem(reader, settings.coordinates);
  if (settings.learner == kTransformerLearner) {
    ReadNetwork(reader, settings);
  } else {
    ReadParameters(reader, settings.parameters);
    ReadAtLeast(reader, "leg_length", std::numeric_limits<double>::min(), settings.leg_length);
  }
  reader.Read("history", settings.history);
  reader.Read("first_day", -kMostDays, kMostDays, settings.first_day);
  reader.Read("last_day", -kMostDays, kMostDays, settings.last_day);
  reader.Read("routes", 1, INT64_MAX, settings.routes);
  reader.Read("validation_days", 0, INT64_MAX, settings.validation_days);
  reader.Read("next_stop_accuracy", settings.next_stop_accuracy);
  reader.Read("route_similarity", settings.route_similarity);
  VRP_RETURN_IF_ERROR(reader.status());
  return settings;
}

}  // namespace vrp
