#include "core/model/graph_transformer/graph_transformer_layout.h"

#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/policy/network_batch.h"
#include "core/model/policy/network_inputs.h"

namespace vrp {
namespace {

// Returns a weight with torch.nn.Linear's initialisation: uniform within 1 / sqrt(inputs).
ParameterShape Weight(std::string name, int64_t out, int64_t in) {
  return {
      .name = std::move(name), .shape = {out, in}, .bound = 1 / std::sqrt(static_cast<double>(in))};
}

ParameterShape Bias(std::string name, int64_t out, int64_t in) {
  return {.name = std::move(name), .shape = {out}, .bound = 1 / std::sqrt(static_cast<double>(in))};
}

void AddNorm(const std::string& prefix, const GraphTransformerOptions& options,
             std::vector<ParameterShape>& shapes) {
  const int64_t hidden = options.hidden;
  shapes.push_back({.name = prefix + ".scale", .shape = {hidden}, .offset = 1});
  shapes.push_back({.name = prefix + ".shift", .shape = {hidden}});
  if (options.norm != NormKind::kFrozenBatch) return;
  shapes.push_back({.name = prefix + ".mean", .shape = {hidden}, .frozen = true});
  shapes.push_back({.name = prefix + ".variance", .shape = {hidden}, .offset = 1, .frozen = true});
}

void AddLayer(const std::string& prefix, const GraphTransformerOptions& options,
              std::vector<ParameterShape>& shapes) {
  const int64_t hidden = options.hidden;
  const int64_t inner = options.feed_forward;
  shapes.push_back(Weight(prefix + ".qkv.weight", 3 * hidden, hidden));
  shapes.push_back(Bias(prefix + ".qkv.bias", 3 * hidden, hidden));
  shapes.push_back(Weight(prefix + ".out.weight", hidden, hidden));
  shapes.push_back(Bias(prefix + ".out.bias", hidden, hidden));
  if (options.edge_bias) {
    shapes.push_back(Weight(prefix + ".edge.weight", options.heads, kEdgeFeatures));
  }
  AddNorm(prefix + ".norm1", options, shapes);
  shapes.push_back(Weight(prefix + ".feed1.weight", inner, hidden));
  shapes.push_back(Bias(prefix + ".feed1.bias", inner, hidden));
  shapes.push_back(Weight(prefix + ".feed2.weight", hidden, inner));
  shapes.push_back(Bias(prefix + ".feed2.bias", hidden, inner));
  AddNorm(prefix + ".norm2", options, shapes);
}

std::string LayerName(int32_t layer) { return Concat("encoder.layers.", layer); }

}  // namespace

ParameterLayout GraphTransformerLayout(const GraphTransformerOptions& options) {
  const int64_t hidden = options.hidden;
  const int64_t inputs = InputsOf(GraphTransformerArchitecture(), options.inputs).width();
  std::vector<ParameterShape> shapes = {
      Weight("embed.node.weight", hidden, inputs),
      Bias("embed.node.bias", hidden, inputs),
      Weight("embed.depot.weight", hidden, inputs),
      Bias("embed.depot.bias", hidden, inputs),
  };
  for (int32_t layer = 0; layer < options.layers; ++layer) {
    AddLayer(LayerName(layer), options, shapes);
  }
  shapes.push_back(Weight("decoder.project.weight", 3 * hidden, hidden));
  shapes.push_back(Weight("decoder.graph.weight", hidden, hidden));
  shapes.push_back(Weight("decoder.last.weight", hidden, hidden));
  shapes.push_back(Weight("decoder.first.weight", hidden, hidden));
  shapes.push_back({.name = "decoder.placeholder", .shape = {2 * hidden}, .bound = 1});
  ParameterShape shares = Weight("decoder.shares.weight", kContextShares, hidden);
  shapes.push_back(std::move(shares));
  shapes.push_back(Weight("decoder.out.weight", hidden, hidden));
  return ParameterLayout(std::move(shapes));
}

std::vector<EncoderLayerOffsets> EncoderOffsets(const GraphTransformerOptions& options,
                                                const ParameterLayout& layout) {
  const bool frozen = options.norm == NormKind::kFrozenBatch;
  std::vector<EncoderLayerOffsets> layers;
  for (int32_t layer = 0; layer < options.layers; ++layer) {
    const auto at = [&](const char* name) { return layout.Offset(LayerName(layer) + name); };
    layers.push_back({
        .qkv_weight = at(".qkv.weight"),
        .qkv_bias = at(".qkv.bias"),
        .out_weight = at(".out.weight"),
        .out_bias = at(".out.bias"),
        .edge_weight = options.edge_bias ? at(".edge.weight") : 0,
        .norm1_scale = at(".norm1.scale"),
        .norm1_shift = at(".norm1.shift"),
        .norm1_mean = frozen ? at(".norm1.mean") : 0,
        .norm1_variance = frozen ? at(".norm1.variance") : 0,
        .feed1_weight = at(".feed1.weight"),
        .feed1_bias = at(".feed1.bias"),
        .feed2_weight = at(".feed2.weight"),
        .feed2_bias = at(".feed2.bias"),
        .norm2_scale = at(".norm2.scale"),
        .norm2_shift = at(".norm2.shift"),
        .norm2_mean = frozen ? at(".norm2.mean") : 0,
        .norm2_variance = frozen ? at(".norm2.variance") : 0,
    });
  }
  return layers;
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
