#include "core/model/dispatch/dispatch_settings.h"

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/weights/settings_reader.h"

namespace vrp {
namespace {

using Json = nlohmann::json;

// Reads the kind of the network and its sizes. Cards without `encoder` are of an MLP or a linear
// model, which `hidden` tells apart.
PrizeNetworkOptions ReadNetwork(SettingsReader& reader) {
  std::string encoder;
  if (reader.Has("encoder")) reader.Read("encoder", encoder);
  if (encoder == kTransformerEncoder) {
    PrizeTransformerOptions sizes;
    reader.Read("width", kWidthMultiple, kMaxTransformerHidden, sizes.width);
    reader.Read("layers", 1, kMaxTransformerLayers, sizes.layers);
    reader.Read("heads", 1, kMaxTransformerHeads, sizes.heads);
    return sizes;
  }
  PrizeMlpOptions sizes;
  reader.Read("hidden", sizes.hidden);
  if (reader.Has("encoder") && encoder != EncoderName(sizes)) {
    reader.Refuse("encoder", Concat(Quoted(EncoderName(sizes)), " with these hidden layers, or ",
                                    Quoted(kTransformerEncoder)));
  }
  return sizes;
}

}  // namespace

std::string WriteDispatchSettings(const DispatchSettings& settings) {
  nlohmann::ordered_json json;
  json["encoder"] = EncoderName(settings.network);
  if (const auto* const mlp = std::get_if<PrizeMlpOptions>(&settings.network)) {
    json["hidden"] = mlp->hidden;
  } else {
    const auto& sizes = std::get<PrizeTransformerOptions>(settings.network);
    json["width"] = sizes.width;
    json["layers"] = sizes.layers;
    json["heads"] = sizes.heads;
  }
  json["draws"] = settings.features.draws;
  json["scenarios"] = settings.features.scenarios;
  json["lookahead"] = settings.features.lookahead;
  json["scenario_iterations"] = settings.features.scenario_iterations;
  json["shift"] = settings.shift;
  json["sites"] = settings.sites;
  if (!settings.log.empty()) json["log"] = settings.log;
  json["days_per_site"] = settings.days_per_site;
  json["first_seed"] = settings.first_seed;
  json["epoch"] = settings.days.epoch;
  json["margin"] = settings.days.margin;
  json["requests_per_epoch"] = settings.days.requests_per_epoch;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

absl::StatusOr<DispatchSettings> ParseDispatchSettings(std::string_view text,
                                                       std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const Json json, ParseSettings(text, name));
  DispatchSettings settings;
  SettingsReader reader(json, name);
  settings.network = ReadNetwork(reader);
  reader.Read("draws", 0, 1000, settings.features.draws);
  reader.Read("scenarios", 0, 1000, settings.features.scenarios);
  reader.Read("lookahead", 0, 1000, settings.features.lookahead);
  reader.Read("scenario_iterations", 1, INT64_MAX, settings.features.scenario_iterations);
  reader.Read("shift", settings.shift);
  reader.Read("sites", settings.sites);
  if (json.contains("log")) reader.Read("log", settings.log);
  reader.Read("days_per_site", 1, INT32_MAX, settings.days_per_site);
  reader.Read("first_seed", 0, INT64_MAX, settings.first_seed);
  reader.Read("epoch", settings.days.epoch);
  reader.Read("margin", settings.days.margin);
  reader.Read("requests_per_epoch", 1, INT32_MAX, settings.days.requests_per_epoch);
  VRP_RETURN_IF_ERROR(reader.status());
  return settings;
}

}  // namespace vrp
