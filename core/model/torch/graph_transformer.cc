#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/model/torch/checkpoint.h"
#include "core/model/torch/networks.h"

namespace vrp {
namespace {

// Term that is added to the variance, so that equal values do not divide by 0.
constexpr double kNormEpsilon = 1e-5;

// Returns attention with an additive mask or bias [B, M or 1, Q, N]. `query` is [B, M, Q, D], `key`
// and `value` are [B, M, N, D]. The attention is fused on CUDA; on the CPU the fused form is slower
// in bf16.
at::Tensor Attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const at::Tensor& bias) {
  // Otherwise torch silently multiplies the matrices in float32.
  TORCH_CHECK(bias.stride(-1) == 1, "attention: the bias is not contiguous over nodes");
  if (query.is_cuda()) {
    return at::scaled_dot_product_attention(query, key, value, bias.to(query.scalar_type()));
  }
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(3)));
  const at::Tensor scores = at::matmul(query * scale, key.transpose(2, 3)) + bias;
  return at::matmul(at::softmax(scores, -1), value);
}

// Returns `weight` [M, E] times `edges` [B, E, N * N] as [B, M, N, N]. One product per instance
// keeps nodes contiguous, which fused attention needs.
at::Tensor EdgeBias(const at::Tensor& weight, const at::Tensor& edges, int64_t nodes) {
  const int64_t count = edges.size(0);
  return at::bmm(weight.unsqueeze(0).expand({count, -1, -1}), edges)
      .view({count, weight.size(0), nodes, nodes});
}

// SplitHeads returns [B, Q, H] as [B, M, Q, D]. JoinHeads does the reverse.
at::Tensor SplitHeads(const at::Tensor& x, int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}
at::Tensor JoinHeads(const at::Tensor& x) { return x.transpose(1, 2).flatten(2); }

// Returns the part of the queries [B, H] that comes from the mean of an instance's nodes.
at::Tensor GraphQuery(const TorchParameters& parameters, const TorchBatch& batch,
                      const at::Tensor& nodes) {
  const at::Tensor mean = nodes.sum(1) / batch.sizes.unsqueeze(1);
  return at::linear(mean, parameters.Get("decoder.graph.weight"));
}

// Inputs of the encoder's layers from the batch.
struct EncoderInputs {
  at::Tensor valid;    // [B, N, 1], of the nodes' type: 1 or 0
  at::Tensor sizes;    // [B, 1, 1]
  at::Tensor padding;  // [B, 1, 1, N]: -inf at padding nodes, else 0
  at::Tensor edges;    // [B, E, N * N] or undefined
};

class Decoder final : public TorchDecoder {
 public:
  Decoder(const GraphTransformerOptions& options, const TorchParameters& parameters,
          const TorchBatch& batch, const at::Tensor& nodes)
      : options_(options),
        tsp_(batch.tsp.unsqueeze(1)),
        out_(parameters.Get("decoder.out.weight")) {
    const int64_t hidden = options.hidden;
    const std::vector<at::Tensor> projected =
        at::linear(nodes, parameters.Get("decoder.project.weight")).chunk(3, 2);
    keys_ = SplitHeads(projected[0], options.heads);
    values_ = SplitHeads(projected[1], options.heads);
    logit_keys_ = projected[2];
    const at::Tensor& last = parameters.Get("decoder.last.weight");
    const at::Tensor& first = parameters.Get("decoder.first.weight");
    base_ = GraphQuery(parameters, batch, nodes).unsqueeze(1);
    queries_ = at::linear(nodes, last);
    first_queries_ = at::linear(nodes, first);
    const at::Tensor& placeholder = parameters.Get("decoder.placeholder");
    start_query_ = at::linear(placeholder.narrow(0, 0, hidden), first) +
                   at::linear(placeholder.narrow(0, hidden, hidden), last);
    shares_weight_ = parameters.Get("decoder.shares.weight");
  }

  void Start(int64_t) override {}
  at::Tensor Step(const StepInputs& inputs) override { return Logits(inputs); }
  at::Tensor Replay(const StepInputs& inputs, int64_t) const override { return Logits(inputs); }

 private:
  static at::Tensor Gather(const at::Tensor& rows, const at::Tensor& which) {
    return rows.gather(1, which.unsqueeze(2).expand({-1, -1, rows.size(2)}));
  }

  at::Tensor Queries(const StepInputs& inputs) const {
    const at::Tensor& began = Gather(first_queries_, inputs.first);
    const at::Tensor later_query = base_ + Gather(queries_, inputs.current) +
                                   at::where(tsp_.unsqueeze(2), began, at::zeros_like(began)) +
                                   at::matmul(inputs.shares, shares_weight_);
    return at::where(inputs.begins.unsqueeze(2), base_ + start_query_, later_query);
  }

  at::Tensor Logits(const StepInputs& inputs) const {
    const at::Tensor query = SplitHeads(Queries(inputs), options_.heads);
    const at::Tensor mask = at::zeros(inputs.forbidden.sizes(), inputs.shares.options())
                                .masked_fill(inputs.forbidden, kForbiddenLogit)
                                .unsqueeze(1);
    const at::Tensor glimpse = at::linear(JoinHeads(Attend(query, keys_, values_, mask)), out_);
    const double scale = 1 / std::sqrt(static_cast<double>(options_.hidden));
    const at::Tensor scores = at::matmul(glimpse, logit_keys_.transpose(1, 2));
    const at::Tensor logits = at::tanh(scores.to(inputs.shares.scalar_type()) * scale);
    return (logits * options_.logit_clip).masked_fill(inputs.forbidden, kForbiddenLogit);
  }

  const GraphTransformerOptions options_;
  const at::Tensor tsp_;      // [B, 1] bool
  at::Tensor keys_;           // [B, M, N, D]
  at::Tensor values_;         // [B, M, N, D]
  at::Tensor logit_keys_;     // [B, N, H]
  at::Tensor queries_;        // [B, N, H]
  at::Tensor first_queries_;  // [B, N, H]
  at::Tensor base_;           // [B, 1, H]
  at::Tensor start_query_;    // [H], without the instance's base
  at::Tensor shares_weight_;  // [kContextShares, H]
  const at::Tensor out_;      // [H, H]
};

class GraphTransformer final : public TorchNetwork {
 public:
  explicit GraphTransformer(const GraphTransformerOptions& options)
      : options_(options), inputs_(InputsOf(GraphTransformerArchitecture(), options.inputs)) {}

  std::string_view architecture() const override { return GraphTransformerArchitecture().name; }
  const NetworkInputs& inputs() const override { return inputs_; }
  bool wants_edges() const override { return options_.edge_bias; }
  ObservationKind observation_kind() const override { return ObservationKind::kShares; }
  bool recurrent() const override { return false; }

  std::unique_ptr<TorchDecoder> Encode(const TorchParameters& parameters, const TorchBatch& batch,
                                       const EncodeOptions& options) const override {
    return std::make_unique<Decoder>(options_, parameters, batch,
                                     EncodeNodes(parameters, batch, options));
  }

  // Computes all projections of the nodes by one product. Folds the glimpse's projection into the
  // logit keys: (out g) . k = g . (out^T k).
  std::optional<DecoderProjections> Project(const TorchParameters& parameters,
                                            const TorchBatch& batch,
                                            const EncodeOptions& options) const override {
    const at::Tensor nodes = EncodeNodes(parameters, batch, options);
    const int64_t hidden = options_.hidden;
    const at::Tensor& project = parameters.Get("decoder.project.weight");
    const at::Tensor& last = parameters.Get("decoder.last.weight");
    const at::Tensor& first = parameters.Get("decoder.first.weight");
    std::vector<at::Tensor> weights = {
        project.narrow(0, 0, 2 * hidden),
        at::matmul(parameters.Get("decoder.out.weight").t(), project.narrow(0, 2 * hidden, hidden)),
        last};
    if (batch.any_tsp) weights.push_back(first);
    const at::ScalarType type = batch.features.scalar_type();
    const at::Tensor computed = at::linear(nodes, at::cat(weights));
    const at::Tensor rows = computed.to(type);
    const at::Tensor base = GraphQuery(parameters, batch, nodes).to(type);
    const at::Tensor& placeholder = parameters.Get("decoder.placeholder");
    const at::Tensor start = at::linear(placeholder.narrow(0, 0, hidden), first) +
                             at::linear(placeholder.narrow(0, hidden, hidden), last);
    return DecoderProjections{
        .shape = {.hidden = options_.hidden, .heads = options_.heads, .clip = options_.logit_clip},
        .rows = rows.view({rows.size(0), rows.size(1), -1, hidden}),
        .base = base,
        .start = base + start.to(type),
        .shares = parameters.Get("decoder.shares.weight"),
        .coarse = computed.scalar_type() != type};
  }

 private:
  // Returns the nodes' encodings [B, N, H], 0 in the padding.
  at::Tensor EncodeNodes(const TorchParameters& parameters, const TorchBatch& batch,
                         const EncodeOptions& options) const {
    const at::Tensor valid = batch.valid.unsqueeze(2).to(batch.features.scalar_type());
    const EncoderInputs inputs = {
        .valid = valid,
        .sizes = batch.sizes.view({-1, 1, 1}),
        .padding = at::zeros_like(batch.valid, batch.features.options())
                       .masked_fill(batch.valid.logical_not(), kForbiddenLogit)
                       .view({valid.size(0), 1, 1, valid.size(1)}),
        .edges = options_.edge_bias ? batch.edges.flatten(2) : at::Tensor(),
    };
    at::Tensor nodes = Embed(parameters, batch).to(batch.features.scalar_type());
    for (int32_t layer = 0; layer < options_.layers; ++layer) {
      const auto body = [this, &parameters, inputs, layer](const std::vector<at::Tensor>& x) {
        return Layer(parameters, layer, inputs, x[0]);
      };
      nodes = options.gradient_checkpointing ? Checkpointed(body, {nodes}) : body({nodes});
    }
    return nodes * valid;
  }

  at::Tensor Embed(const TorchParameters& parameters, const TorchBatch& batch) const {
    const at::Tensor features = InputColumns(batch, inputs_);
    const auto embed = [&](const char* kind) {
      return at::linear(features, parameters.Get(Concat("embed.", kind, ".weight")),
                        parameters.Get(Concat("embed.", kind, ".bias")));
    };
    const at::Tensor index = at::arange(batch.valid.size(1), batch.last.options());
    const at::Tensor depot =
        (index == 0).unsqueeze(0).logical_and(batch.tsp.logical_not().unsqueeze(1));
    return at::where(depot.unsqueeze(2), embed("depot"), embed("node"));
  }

  at::Tensor Layer(const TorchParameters& parameters, int32_t layer, const EncoderInputs& inputs,
                   const at::Tensor& x) const {
    const std::string prefix = Concat("encoder.layers.", layer, ".");
    const auto linear = [&](const at::Tensor& from, const char* name) {
      return at::linear(from, parameters.Get(Concat(prefix, name, ".weight")),
                        parameters.Get(Concat(prefix, name, ".bias")));
    };
    at::Tensor bias = inputs.padding;
    if (options_.edge_bias) {
      bias = bias + EdgeBias(parameters.Get(prefix + "edge.weight"), inputs.edges, x.size(1));
    }
    const std::vector<at::Tensor> parts = linear(x, "qkv").chunk(3, 2);
    const at::Tensor seen =
        Attend(SplitHeads(parts[0], options_.heads), SplitHeads(parts[1], options_.heads),
               SplitHeads(parts[2], options_.heads), bias);
    const at::Tensor mixed =
        Norm(parameters, prefix + "norm1.", inputs, x + linear(JoinHeads(seen), "out"));
    const at::Tensor inner = at::relu(linear(mixed, "feed1"));
    return Norm(parameters, prefix + "norm2.", inputs, mixed + linear(inner, "feed2"));
  }

  at::Tensor Norm(const TorchParameters& parameters, const std::string& prefix,
                  const EncoderInputs& inputs, const at::Tensor& x) const {
    at::Tensor centred;
    at::Tensor variance;
    if (options_.norm == NormKind::kInstance) {
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

  const GraphTransformerOptions options_;
  const NetworkInputs inputs_;
};

}  // namespace

std::unique_ptr<TorchNetwork> MakeTorchGraphTransformer(const GraphTransformerOptions& options) {
  return std::make_unique<GraphTransformer>(options);
}

}  // namespace vrp
