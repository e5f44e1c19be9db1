#include "core/model/pointer_network/pointer_network_options.h"

#include "core/base/json.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/policy/inputs_json.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

struct Range {
  const char* key;
  double low;
  double high;
  bool integer;
};

absl::StatusOr<double> ReadNumber(const nlohmann::json& json, const Range& range,
                                  std::string_view name) {
  const auto found = json.find(range.key);
  const bool typed =
      found != json.end() && (range.integer ? found->is_number_unsigned() : found->is_number());
  const double value = typed ? found->get<double>() : 0;
  if (typed && value >= range.low && value <= range.high) return value;
  return absl::InvalidArgumentError(Concat(name, ": architecture_json.", range.key, ": got ",
                                           found == json.end() ? "nothing" : Quoted(found->dump()),
                                           ", wanted ", range.integer ? "an integer" : "a number",
                                           " from ", FormatNumber(range.low), " to ",
                                           FormatNumber(range.high)));
}

}  // namespace

std::string WritePointerNetworkOptions(const PointerNetworkOptions& options) {
  nlohmann::ordered_json json;
  json["hidden"] = options.hidden;
  json["layers"] = options.layers;
  json["dropout"] = options.dropout;
  json["logit_clip"] = options.logit_clip;
  if (!options.inputs.empty()) json[kInputsKey] = options.inputs;
  return json.dump();
}

absl::StatusOr<PointerNetworkOptions> ParsePointerNetworkOptions(std::string_view text,
                                                                 std::string_view name) {
  JsonLimits limits;
  limits.max_bytes = 1 << 14;
  limits.max_depth = 2;
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseJsonText(text, name, limits));
  if (!HasKeys(json, 4)) {
    return absl::InvalidArgumentError(
        Concat(name, ": architecture_json: wanted hidden, layers, dropout and logit_clip"));
  }
  PointerNetworkOptions options;
  VRP_ASSIGN_OR_RETURN(const double hidden,
                       ReadNumber(json, {"hidden", kWidthMultiple, kMaxHidden, true}, name));
  VRP_ASSIGN_OR_RETURN(const double layers,
                       ReadNumber(json, {"layers", 1, kMaxLayers, true}, name));
  VRP_ASSIGN_OR_RETURN(options.dropout, ReadNumber(json, {"dropout", 0, kMaxDropout, false}, name));
  VRP_ASSIGN_OR_RETURN(options.logit_clip,
                       ReadNumber(json, {"logit_clip", kMinLogitClip, kMaxLogitClip, false}, name));
  absl::StatusOr<std::vector<std::string>> inputs = ReadInputs(json, "ptrnet");
  if (!inputs.ok()) {
    return absl::InvalidArgumentError(
        Concat(name, ": architecture_json.", FromAbsl(inputs.status().message())));
  }
  options.inputs = *std::move(inputs);
  options.hidden = static_cast<int32_t>(hidden);
  options.layers = static_cast<int32_t>(layers);
  if (options.hidden % kWidthMultiple != 0) {
    return absl::InvalidArgumentError(Concat(name, ": architecture_json.hidden: got ",
                                             options.hidden, ", wanted a multiple of ",
                                             kWidthMultiple));
  }
  return options;
}

}  // namespace vrp
