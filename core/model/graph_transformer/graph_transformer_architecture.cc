#include "core/model/graph_transformer/graph_transformer_architecture.h"

#include <array>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/kernels/routing/routing_problem.h"
#include "core/model/graph_transformer/encoder_parameters.h"
#include "core/model/policy/network_batch.h"
#include "core/model/policy/network_inputs.h"
#include "core/model/policy/network_sizes.h"
#include "core/problem/instance/input_names.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

// The reports use GT+RL for a graph transformer trained by reinforcement learning.
constexpr std::array<std::string_view, 1> kTransformerAliases = {"GT+RL"};
constexpr std::array<std::string_view, 2> kNormWords = {"instance", "frozen_batch"};
constexpr std::array<NetworkOption, 7> kTransformerOptions = {{
    {.key = "hidden",
     .low = kWidthMultiple,
     .high = kMaxTransformerHidden,
     .multiple_of = kWidthMultiple},
    {.key = "heads", .low = 1, .high = kMaxTransformerHeads, .divides = "hidden"},
    {.key = "feed_forward",
     .low = kWidthMultiple,
     .high = kMaxTransformerFeedForward,
     .multiple_of = kWidthMultiple},
    {.key = "layers", .low = 1, .high = kMaxTransformerLayers},
    {.key = "norm", .words = kNormWords},
    {.key = "edge_bias"},
    {.key = "logit_clip", .low = kMinLogitClip, .high = kMaxLogitClip},
}};
// Three vectors that the encoder computes, then the shares in the step's context
// (routing_problem.h).
constexpr std::array<std::string_view, 3 + kContextShares> kTransformerStepInputs = {
    "graph_mean", "last_node",     "first_node", "load_left",
    "time_gone",  "distance_left", "picking_up"};

NetworkSizes TransformerSizes(const GraphTransformerOptions& options) {
  const std::string json = WriteGraphTransformerOptions(options);
  return {
      .json = json, .fixed_json = json, .inputs = options.inputs, .edge_bias = options.edge_bias};
}

absl::StatusOr<NetworkSizes> ParseTransformerSizes(std::string_view json, std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const GraphTransformerOptions options,
                       ParseGraphTransformerOptions(json, name));
  return TransformerSizes(options);
}

constexpr Architecture kGraphTransformer = {
    .name = "gt",
    .display_name = "graph transformer",
    .aliases = kTransformerAliases,
    .section = "graph_transformer",
    .options = kTransformerOptions,
    .node_order = NodeOrder::kAsGiven,
    .default_inputs = kNodeFeatureNames,
    .reads_visited = false,
    .step_inputs = kTransformerStepInputs,
    .serves_backhauls = true,
    .reads_own_choices = false,
    .checkpoints_layers = true,
    .default_sizes = [] { return TransformerSizes({}); },
    .parse_sizes = ParseTransformerSizes,
    .layout =
        [](const NetworkSizes& sizes) {
          return GraphTransformerLayout(*ParseGraphTransformerOptions(sizes.json, "sizes"));
        },
};

}  // namespace

const Architecture& GraphTransformerArchitecture() { return kGraphTransformer; }

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

ParameterLayout GraphTransformerLayout(const GraphTransformerOptions& options) {
  const int64_t hidden = options.hidden;
  const int64_t inputs = InputsOf(GraphTransformerArchitecture(), options.inputs).width();
  std::vector<ParameterShape> shapes = {
      LinearWeight("embed.node.weight", hidden, inputs),
      LinearBias("embed.node.bias", hidden, inputs),
      LinearWeight("embed.depot.weight", hidden, inputs),
      LinearBias("embed.depot.bias", hidden, inputs),
  };
  for (ParameterShape& shape : EncoderParameters(EncoderShapeOf(options))) {
    shapes.push_back(std::move(shape));
  }
  shapes.push_back(LinearWeight("decoder.project.weight", 3 * hidden, hidden));
  shapes.push_back(LinearWeight("decoder.graph.weight", hidden, hidden));
  shapes.push_back(LinearWeight("decoder.last.weight", hidden, hidden));
  shapes.push_back(LinearWeight("decoder.first.weight", hidden, hidden));
  shapes.push_back({.name = "decoder.placeholder", .shape = {2 * hidden}, .bound = 1});
  shapes.push_back(LinearWeight("decoder.shares.weight", kContextShares, hidden));
  shapes.push_back(LinearWeight("decoder.out.weight", hidden, hidden));
  return ParameterLayout(std::move(shapes));
}

EncoderShape EncoderShapeOf(const GraphTransformerOptions& options) {
  return {.hidden = options.hidden,
          .heads = options.heads,
          .feed_forward = options.feed_forward,
          .layers = options.layers,
          .edge_features = options.edge_bias ? kEdgeFeatures : 0,
          .norm = options.norm};
}

}  // namespace vrp
