#include <ATen/ATen.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/model/torch/attention.h"
#include "core/model/torch/graph_encoder.h"
#include "core/model/torch/networks.h"

namespace vrp {
namespace {

// Returns the part of the queries [B, H] that comes from the mean of an instance's nodes.
at::Tensor GraphQuery(const TorchParameters& parameters, const TorchBatch& batch,
                      const at::Tensor& nodes) {
  const at::Tensor sum = nodes.sum(1, false, batch.sizes.scalar_type());
  const at::Tensor mean = sum / batch.sizes.unsqueeze(1);
  return at::linear(mean, parameters.Get("decoder.graph.weight"));
}

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
        .computed = computed.scalar_type()};
  }

 private:
  at::Tensor EncodeNodes(const TorchParameters& parameters, const TorchBatch& batch,
                         const EncodeOptions& options) const {
    const GraphEncoder encoder = {.options = options_,
                                  .inputs = inputs_,
                                  .parameters = parameters,
                                  .batch = batch,
                                  .gradient_checkpointing = options.gradient_checkpointing};
    return HasFusedEncoder(encoder) ? EncodeFused(encoder) : EncodeByOperators(encoder);
  }

  const GraphTransformerOptions options_;
  const NetworkInputs inputs_;
};

}  // namespace

std::unique_ptr<TorchNetwork> MakeTorchGraphTransformer(const GraphTransformerOptions& options) {
  return std::make_unique<GraphTransformer>(options);
}

}  // namespace vrp
