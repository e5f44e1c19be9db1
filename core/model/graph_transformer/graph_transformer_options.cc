#include "core/model/graph_transformer/graph_transformer_options.h"

#include "core/base/status_macros.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/policy/network_sizes.h"
#include "nlohmann/json.hpp"

namespace vrp {

std::string_view NormName(NormKind norm) {
  return norm == NormKind::kInstance ? "instance" : "frozen_batch";
}

std::string WriteGraphTransformerOptions(const GraphTransformerOptions& options) {
  nlohmann::ordered_json json;
  json["hidden"] = options.hidden;
  json["heads"] = options.heads;
  json["feed_forward"] = options.feed_forward;
  json["layers"] = options.layers;
  json["norm"] = NormName(options.norm);
  json["edge_bias"] = options.edge_bias;
  json["logit_clip"] = options.logit_clip;
  if (!options.inputs.empty()) json[kInputsKey] = options.inputs;
  return json.dump();
}

absl::Status CheckGraphTransformerOptions(const GraphTransformerOptions& options) {
  return ParseGraphTransformerOptions(WriteGraphTransformerOptions(options), "sizes").status();
}

absl::StatusOr<GraphTransformerOptions> ParseGraphTransformerOptions(std::string_view text,
                                                                     std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json,
                       ReadNetworkSizes(text, name, GraphTransformerArchitecture()));
  const bool instance = json.at("norm").get<std::string>() == NormName(NormKind::kInstance);
  return GraphTransformerOptions{.hidden = json.at("hidden").get<int32_t>(),
                                 .heads = json.at("heads").get<int32_t>(),
                                 .feed_forward = json.at("feed_forward").get<int32_t>(),
                                 .layers = json.at("layers").get<int32_t>(),
                                 .norm = instance ? NormKind::kInstance : NormKind::kFrozenBatch,
                                 .edge_bias = json.at("edge_bias").get<bool>(),
                                 .logit_clip = json.at("logit_clip").get<double>(),
                                 .inputs = StatedInputs(json)};
}

}  // namespace vrp
