#include "core/model/graph_transformer/encoder_parameters.h"

#include <cmath>
#include <utility>

#include "core/base/text.h"

namespace vrp {
namespace {

std::string LayerName(int32_t layer) { return Concat("encoder.layers.", layer); }

void AddNorm(const std::string& prefix, const EncoderShape& shape,
             std::vector<ParameterShape>& shapes) {
  const int64_t hidden = shape.hidden;
  shapes.push_back({.name = prefix + ".scale", .shape = {hidden}, .offset = 1});
  shapes.push_back({.name = prefix + ".shift", .shape = {hidden}});
  if (shape.norm != NormKind::kFrozenBatch) return;
  shapes.push_back({.name = prefix + ".mean", .shape = {hidden}, .frozen = true});
  shapes.push_back({.name = prefix + ".variance", .shape = {hidden}, .offset = 1, .frozen = true});
}

void AddLayer(const std::string& prefix, const EncoderShape& shape,
              std::vector<ParameterShape>& shapes) {
  const int64_t hidden = shape.hidden;
  const int64_t inner = shape.feed_forward;
  shapes.push_back(LinearWeight(prefix + ".qkv.weight", 3 * hidden, hidden));
  shapes.push_back(LinearBias(prefix + ".qkv.bias", 3 * hidden, hidden));
  shapes.push_back(LinearWeight(prefix + ".out.weight", hidden, hidden));
  shapes.push_back(LinearBias(prefix + ".out.bias", hidden, hidden));
  if (shape.edge_features > 0) {
    shapes.push_back(LinearWeight(prefix + ".edge.weight", shape.heads, shape.edge_features));
  }
  AddNorm(prefix + ".norm1", shape, shapes);
  shapes.push_back(LinearWeight(prefix + ".feed1.weight", inner, hidden));
  shapes.push_back(LinearBias(prefix + ".feed1.bias", inner, hidden));
  shapes.push_back(LinearWeight(prefix + ".feed2.weight", hidden, inner));
  shapes.push_back(LinearBias(prefix + ".feed2.bias", hidden, inner));
  AddNorm(prefix + ".norm2", shape, shapes);
}

}  // namespace

ParameterShape LinearWeight(std::string name, int64_t out, int64_t in) {
  return {
      .name = std::move(name), .shape = {out, in}, .bound = 1 / std::sqrt(static_cast<double>(in))};
}

ParameterShape LinearBias(std::string name, int64_t out, int64_t in) {
  return {.name = std::move(name), .shape = {out}, .bound = 1 / std::sqrt(static_cast<double>(in))};
}

std::vector<ParameterShape> EncoderParameters(const EncoderShape& shape) {
  std::vector<ParameterShape> shapes;
  for (int32_t layer = 0; layer < shape.layers; ++layer) AddLayer(LayerName(layer), shape, shapes);
  return shapes;
}

std::vector<EncoderLayerOffsets> EncoderOffsets(const EncoderShape& shape,
                                                const ParameterLayout& layout) {
  const bool frozen = shape.norm == NormKind::kFrozenBatch;
  std::vector<EncoderLayerOffsets> layers;
  for (int32_t layer = 0; layer < shape.layers; ++layer) {
    const auto at = [&](const char* name) { return layout.Offset(LayerName(layer) + name); };
    layers.push_back({
        .qkv_weight = at(".qkv.weight"),
        .qkv_bias = at(".qkv.bias"),
        .out_weight = at(".out.weight"),
        .out_bias = at(".out.bias"),
        .edge_weight = shape.edge_features > 0 ? at(".edge.weight") : 0,
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

}  // namespace vrp
