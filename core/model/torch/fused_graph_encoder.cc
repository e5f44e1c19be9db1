#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/model/torch/checkpoint.h"
#include "core/model/torch/encoder_functions.h"
#include "core/model/torch/graph_encoder.h"
#include "core/model/torch/network.h"
#include "core/model/torch/residual_norm.h"

namespace vrp {
namespace {

// Inner dimensions of products in bf16 must be multiples of this number to be fast.
constexpr int64_t kProductAlignment = 8;

// The type of the nodes between layers: autocast's bf16, else float. Numbers of fp16 could overflow
// where gradients are sums.
at::ScalarType TypeOfNodes(const TorchBatch& batch) {
  const at::DeviceType device = batch.features.device().type();
  const bool bf16 = at::autocast::is_autocast_enabled(device) &&
                    at::autocast::get_autocast_dtype(device) == at::kBFloat16;
  return bf16 ? at::kBFloat16 : batch.features.scalar_type();
}

// Embeds depots and other nodes by one product of [features, 1, 0, 0] or [0, 0, features, 1] with
// the weights and biases of both kinds.
at::Tensor EmbedAtOnce(const GraphEncoder& encoder) {
  const at::Tensor features = InputColumns(encoder.batch, encoder.inputs);
  const at::Tensor depot = IsDepot(encoder.batch).unsqueeze(2);
  const at::Tensor given = at::constant_pad_nd(features, {0, 1}, 1);
  const int64_t width = 2 * given.size(2);
  const int64_t missing = (kProductAlignment - width % kProductAlignment) % kProductAlignment;
  const at::Tensor columns =
      at::cat({given.masked_fill(depot, 0), given.masked_fill(depot.logical_not(), 0)}, 2);
  const auto parameter = [&](const char* name) { return encoder.parameters.Get(name); };
  const at::Tensor weights =
      at::cat({parameter("embed.node.weight"), parameter("embed.node.bias").unsqueeze(1),
               parameter("embed.depot.weight"), parameter("embed.depot.bias").unsqueeze(1)},
              1);
  return at::linear(at::constant_pad_nd(columns, {0, missing}),
                    at::constant_pad_nd(weights, {0, missing}));
}

// Returns what attention adds to its scores at padding nodes, [B, 1, 1, N] of type `type`.
// Undefined if no node is padding.
at::Tensor PaddingBias(const TorchBatch& batch, at::ScalarType type) {
  if (batch.full) return {};
  const at::Tensor zeros = at::zeros_like(batch.valid, batch.features.options().dtype(type));
  return AlignedBias(zeros.masked_fill(batch.valid.logical_not(), kForbiddenLogit)
                         .view({batch.valid.size(0), 1, 1, batch.valid.size(1)}));
}

// Inputs of all layers.
struct LayerInputs {
  at::Tensor sizes;    // [B] float
  at::Tensor padding;  // PaddingBias
  at::Tensor edges;    // [B, E, N * N] or undefined
  at::ScalarType type = at::kFloat;
};

at::Tensor LayerBias(const GraphEncoder& encoder, const std::string& prefix,
                     const LayerInputs& inputs, int64_t nodes) {
  if (!encoder.options.edge_bias) return inputs.padding;
  const at::Tensor bias =
      EdgeBias(encoder.parameters.Get(prefix + "edge.weight"), inputs.edges, nodes);
  return AlignedBias(inputs.padding.defined() ? bias + inputs.padding : bias);
}

// Computes a layer. Omits the biases of `out` and `feed2`: the norm subtracts the mean over nodes,
// so these biases have neither effect nor gradient.
NormedNodes FusedLayer(const GraphEncoder& encoder, int32_t layer, const LayerInputs& inputs,
                       const NormedNodes& x) {
  const std::string prefix = Concat("encoder.layers.", layer, ".");
  const auto parameter = [&](const char* name) {
    return encoder.parameters.Get(Concat(prefix, name));
  };
  const auto norm = [&](const at::Tensor& residual, const at::Tensor& branch, const char* name) {
    const NormAffine affine = {.scale = parameter(Concat(name, ".scale").c_str()),
                               .shift = parameter(Concat(name, ".shift").c_str())};
    return ResidualNorm(residual, branch.to(inputs.type), inputs.sizes, affine);
  };
  const at::Tensor qkv = Linear(x.nodes, parameter("qkv.weight"), parameter("qkv.bias"));
  const at::Tensor bias = LayerBias(encoder, prefix, inputs, x.nodes.size(1));
  const at::Tensor seen =
      SelfAttention(qkv, encoder.options.heads, bias.defined() ? bias.to(qkv.scalar_type()) : bias);
  const NormedNodes mixed = norm(x.residual, at::linear(seen, parameter("out.weight")), "norm1");
  const at::Tensor inner =
      LinearRelu(mixed.nodes, parameter("feed1.weight"), parameter("feed1.bias"));
  return norm(mixed.residual, at::linear(inner, parameter("feed2.weight")), "norm2");
}

}  // namespace

bool HasFusedEncoder(const GraphEncoder& encoder) {
  const at::Tensor& features = encoder.batch.features;
  return features.is_cuda() && features.scalar_type() == at::kFloat &&
         encoder.options.norm == NormKind::kInstance;
}

at::Tensor EncodeFused(const GraphEncoder& encoder) {
  const TorchBatch& batch = encoder.batch;
  const at::ScalarType type = TypeOfNodes(batch);
  const at::DeviceType device = batch.features.device().type();
  const bool autocast = at::autocast::is_autocast_enabled(device);
  const LayerInputs inputs = {
      .sizes = batch.sizes,
      .padding = PaddingBias(batch, autocast ? at::autocast::get_autocast_dtype(device) : type),
      .edges = encoder.options.edge_bias ? batch.edges.flatten(2) : at::Tensor(),
      .type = type};
  const at::Tensor embedded = EmbedAtOnce(encoder).to(type);
  NormedNodes nodes = {.nodes = embedded, .residual = embedded};
  for (int32_t layer = 0; layer < encoder.options.layers; ++layer) {
    if (!encoder.gradient_checkpointing) {
      nodes = FusedLayer(encoder, layer, inputs, nodes);
      continue;
    }
    const auto body = [encoder, inputs, layer](const std::vector<at::Tensor>& x) {
      return FusedLayer(encoder, layer, inputs, {.nodes = x[0], .residual = x[0]}).nodes;
    };
    nodes.nodes = nodes.residual = Checkpointed(body, {nodes.nodes});
  }
  return nodes.nodes;
}

}  // namespace vrp
