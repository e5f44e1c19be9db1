#include "core/model/estimate/estimate_settings.h"

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/estimate/subproblem.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/weights/settings_reader.h"

namespace vrp {

std::string WriteEstimateSettings(const EstimateSettings& settings) {
  nlohmann::ordered_json json;
  json["width"] = settings.network.width;
  json["layers"] = settings.network.layers;
  json["heads"] = settings.network.heads;
  json["hidden"] = settings.network.hidden;
  json["min_customers"] = settings.min_customers;
  json["max_customers"] = settings.max_customers;
  json["windows"] = settings.windows;
  json["instances"] = settings.instances;
  json["first_seed"] = settings.first_seed;
  json["labels"] = settings.labels;
  json["coverage"] = settings.coverage;
  json["error"] = settings.error;
  json["error_with_windows"] = settings.error_with_windows;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

absl::StatusOr<EstimateSettings> ParseEstimateSettings(std::string_view text,
                                                       std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseSettings(text, name));
  EstimateSettings settings;
  SettingsReader reader(json, name);
  reader.Read("width", kWidthMultiple, kMaxTransformerHidden, settings.network.width);
  reader.Read("layers", 0, kMaxTransformerLayers, settings.network.layers);
  reader.Read("heads", 1, kMaxTransformerHeads, settings.network.heads);
  reader.Read("hidden", 1, kMaxTransformerFeedForward, settings.network.hidden);
  reader.Read("min_customers", 1, kMaxEstimatedCustomers, settings.min_customers);
  reader.Read("max_customers", settings.min_customers, kMaxEstimatedCustomers,
              settings.max_customers);
  reader.Read("windows", settings.windows);
  reader.Read("instances", 1, INT64_MAX, settings.instances);
  reader.Read("first_seed", 0, INT64_MAX, settings.first_seed);
  reader.Read("labels", settings.labels);
  reader.Read("coverage", settings.coverage);
  reader.Read("error", settings.error);
  reader.Read("error_with_windows", settings.error_with_windows);
  VRP_RETURN_IF_ERROR(reader.status());
  return settings;
}

}  // namespace vrp
