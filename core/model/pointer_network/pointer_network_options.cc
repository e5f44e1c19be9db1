#include "core/model/pointer_network/pointer_network_options.h"

#include "core/base/status_macros.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/policy/network_sizes.h"
#include "nlohmann/json.hpp"

namespace vrp {

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
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json,
                       ReadNetworkSizes(text, name, PointerArchitecture()));
  return PointerNetworkOptions{.hidden = json.at("hidden").get<int32_t>(),
                               .layers = json.at("layers").get<int32_t>(),
                               .dropout = json.at("dropout").get<double>(),
                               .logit_clip = json.at("logit_clip").get<double>(),
                               .inputs = StatedInputs(json)};
}

}  // namespace vrp
