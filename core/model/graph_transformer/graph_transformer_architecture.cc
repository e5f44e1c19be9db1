#include "core/model/graph_transformer/graph_transformer_architecture.h"

#include <array>

#include "core/base/status_macros.h"
#include "core/kernels/routing/routing_problem.h"
#include "core/model/graph_transformer/graph_transformer_layout.h"
#include "core/model/graph_transformer/graph_transformer_options.h"
#include "core/problem/instance/input_names.h"

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

}  // namespace vrp
