#include "core/model/torch/graph_encoder.h"

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/model/torch/attention.h"
#include "core/model/torch/checkpoint.h"
#include "core/model/torch/network.h"

namespace vrp {
namespace {

// Term that is added to the variance, so that equal values do not divide by 0.
constexpr double kNormEpsilon = 1e-5;

// Inputs of the encoder's layers from the batch.
struct EncoderInputs {
  at::Tensor valid;    // [B, N, 1], of the nodes' type: 1 or 0
  at::Tensor sizes;    // [B, 1, 1]
  at::Tensor padding;  // [B, 1, 1, N]: -inf at padding nodes, else 0
  at::Tensor edges;    // [B, E, N * N] or undefined
};

at::Tensor Embed(const GraphEncoder& encoder) {
  const TorchParameters& parameters = encoder.parameters;
  const at::Tensor features = InputColumns(encoder.batch, encoder.inputs);
  const auto embed = [&](const char* kind) {
    return at::linear(features, parameters.Get(Concat("embed.", kind, ".weight")),
                      parameters.Get(Concat("embed.", kind, ".bias")));
  };
  return at::where(IsDepot(encoder.batch).unsqueeze(2), embed("depot"), embed("node"));
}

at::Tensor Norm(const GraphEncoder& encoder, const std::string& prefix, const EncoderInputs& inputs,
                const at::Tensor& x) {
  const TorchParameters& parameters = encoder.parameters;
  at::Tensor centred;
  at::Tensor variance;
  if (encoder.options.norm == NormKind::kInstance) {
    const at::Tensor mean = (x * inputs.valid).sum(1, true) / inputs.sizes;
    centred = (x - mean) * inputs.valid;
    variance = at::square(centred).sum(1, true) / inputs.sizes;
  } else {
    centred = x - parameters.Get(prefix + "mean");
    variance = parameters.Get(prefix + "variance");
  }
  return centred * at::rsqrt(variance + kNormEpsilon) * parameters.Get(prefix + "scale") +
         parameters.Get(prefix + "shift");
}

at::Tensor Layer(const GraphEncoder& encoder, int32_t layer, const EncoderInputs& inputs,
                 const at::Tensor& x) {
  const TorchParameters& parameters = encoder.parameters;
  const int64_t heads = encoder.options.heads;
  const std::string prefix = Concat("encoder.layers.", layer, ".");
  const auto linear = [&](const at::Tensor& from, const char* name) {
    return at::linear(from, parameters.Get(Concat(prefix, name, ".weight")),
                      parameters.Get(Concat(prefix, name, ".bias")));
  };
  at::Tensor bias = inputs.padding;
  if (encoder.options.edge_bias) {
    bias = bias + EdgeBias(parameters.Get(prefix + "edge.weight"), inputs.edges, x.size(1));
  }
  const std::vector<at::Tensor> parts = linear(x, "qkv").chunk(3, 2);
  const at::Tensor seen = Attend(SplitHeads(parts[0], heads), SplitHeads(parts[1], heads),
                                 SplitHeads(parts[2], heads), bias);
  const at::Tensor mixed =
      Norm(encoder, prefix + "norm1.", inputs, x + linear(JoinHeads(seen), "out"));
  const at::Tensor inner = at::relu(linear(mixed, "feed1"));
  return Norm(encoder, prefix + "norm2.", inputs, mixed + linear(inner, "feed2"));
}

}  // namespace

// One product per instance keeps nodes contiguous, which fused attention needs.
at::Tensor EdgeBias(const at::Tensor& weight, const at::Tensor& edges, int64_t nodes) {
  const int64_t count = edges.size(0);
  return at::bmm(weight.unsqueeze(0).expand({count, -1, -1}), edges)
      .view({count, weight.size(0), nodes, nodes});
}

at::Tensor IsDepot(const TorchBatch& batch) {
  const at::Tensor index = at::arange(batch.valid.size(1), batch.last.options());
  return (index == 0).unsqueeze(0).logical_and(batch.tsp.logical_not().unsqueeze(1));
}

at::Tensor EncodeByOperators(const GraphEncoder& encoder) {
  const TorchBatch& batch = encoder.batch;
  const at::Tensor valid = batch.valid.unsqueeze(2).to(batch.features.scalar_type());
  const EncoderInputs inputs = {
      .valid = valid,
      .sizes = batch.sizes.view({-1, 1, 1}),
      .padding = at::zeros_like(batch.valid, batch.features.options())
                     .masked_fill(batch.valid.logical_not(), kForbiddenLogit)
                     .view({valid.size(0), 1, 1, valid.size(1)}),
      .edges = encoder.options.edge_bias ? batch.edges.flatten(2) : at::Tensor(),
  };
  at::Tensor nodes = Embed(encoder).to(batch.features.scalar_type());
  for (int32_t layer = 0; layer < encoder.options.layers; ++layer) {
    const auto body = [encoder, inputs, layer](const std::vector<at::Tensor>& x) {
      return Layer(encoder, layer, inputs, x[0]);
    };
    nodes = encoder.gradient_checkpointing ? Checkpointed(body, {nodes}) : body({nodes});
  }
  return nodes * valid;
}

}  // namespace vrp
