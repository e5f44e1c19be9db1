#include <ATen/ATen.h>

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/kernels/routing/pointer_observation.h"
#include "core/model/torch/lstm.h"
#include "core/model/torch/networks.h"

namespace vrp {
namespace {

class PointerDecoder final : public TorchDecoder {
 public:
  // Prepares decoding of the encoded `nodes` [B, N, H].
  PointerDecoder(const PointerNetworkOptions& options, const TorchParameters& parameters,
                 const TorchBatch& batch, const at::Tensor& nodes, const LstmDropout& dropout)
      : options_(options), parameters_(parameters), dropout_(dropout), nodes_(nodes) {
    dropout_.decoder = true;
    const int64_t count = nodes.size(0);
    const int64_t heads = kPointerHeads;
    const int64_t hidden = options.hidden;
    const auto by_head = [&](const char* name) {
      return at::linear(nodes, Parameter(name)).view({count, nodes.size(1), heads, hidden / heads});
    };
    glimpse_keys_ = by_head("glimpse.key.weight").permute({0, 2, 3, 1}).contiguous();
    glimpse_values_ = by_head("glimpse.value.weight").permute({0, 2, 1, 3}).contiguous();
    pointer_keys_ = at::linear(nodes, Parameter("pointer.key.weight")).transpose(1, 2).contiguous();
    const at::Tensor mean = nodes.sum(1) / batch.sizes.unsqueeze(1);
    const at::Tensor start = at::linear(mean, Parameter("start.weight"), Parameter("start.bias"))
                                 .view({count, 2, options.layers, hidden})
                                 .permute({1, 2, 0, 3});
    first_hidden_ = at::tanh(start[0]).contiguous();
    first_cell_ = start[1].contiguous();
    gate_inputs_ = at::linear(nodes, Parameter("decoder.weight_ih_l0"),
                              Parameter("decoder.bias_ih_l0") + Parameter("decoder.bias_hh_l0"));
    context_gates_ = at::matmul(Parameter("decoder.weight_ih_l0"), Parameter("context.weight"));
  }

  void Start(int64_t trajectories) override {
    hidden_ = Repeated(first_hidden_, trajectories);
    cell_ = Repeated(first_cell_, trajectories);
  }

  at::Tensor Step(const StepInputs& inputs) override {
    const int64_t count = inputs.current.size(0);
    const int64_t trajectories = inputs.current.size(1);
    const int64_t hidden = options_.hidden;
    const at::Tensor where = inputs.current.unsqueeze(2).expand({count, trajectories, 4 * hidden});
    at::Tensor gates =
        (gate_inputs_.gather(1, where) + at::linear(inputs.shares, context_gates_)).flatten(0, 1);
    std::vector<at::Tensor> hiddens;
    std::vector<at::Tensor> cells;
    for (int64_t layer = 0; layer < options_.layers; ++layer) {
      if (layer > 0) {
        gates = at::linear(hiddens.back(), Parameter(Concat("decoder.weight_ih_l", layer)),
                           Parameter(Concat("decoder.bias_ih_l", layer)) +
                               Parameter(Concat("decoder.bias_hh_l", layer)));
      }
      gates = at::addmm(gates, hidden_[layer], Parameter(Concat("decoder.weight_hh_l", layer)).t());
      const std::vector<at::Tensor> parts = gates.chunk(4, 1);  // input, forget, candidate, output
      cells.push_back(at::sigmoid(parts[1]) * cell_[layer] +
                      at::sigmoid(parts[0]) * at::tanh(parts[2]));
      hiddens.push_back(at::sigmoid(parts[3]) * at::tanh(cells.back()));
    }
    hidden_ = at::stack(hiddens);
    cell_ = at::stack(cells);
    return Score(hiddens.back().view({count, trajectories, hidden}), inputs);
  }

  at::Tensor Replay(const StepInputs& inputs, int64_t trajectories) const override {
    const int64_t count = inputs.current.size(0);
    const int64_t hidden = options_.hidden;
    const int64_t steps = inputs.current.size(1) / trajectories;
    const at::Tensor where = inputs.current.unsqueeze(2).expand({-1, -1, hidden});
    const at::Tensor read =
        nodes_.gather(1, where) + at::linear(inputs.shares, Parameter("context.weight"));
    const at::Tensor sequence = read.view({count * trajectories, steps, hidden}).transpose(0, 1);
    LstmDropout dropout = dropout_;
    dropout.trajectories = trajectories;
    const at::Tensor outputs =
        RunLstm({.inputs = sequence,
                 .hidden = Repeated(first_hidden_, trajectories),
                 .cell = Repeated(first_cell_, trajectories),
                 .weights = LstmParameters(parameters_, "decoder", options_.layers),
                 .dropout = dropout});
    return Score(outputs.transpose(0, 1).reshape({count, trajectories * steps, hidden}), inputs);
  }

 private:
  const at::Tensor& Parameter(std::string_view name) const { return parameters_.Get(name); }

  static at::Tensor Repeated(const at::Tensor& state, int64_t trajectories) {
    return trajectories == 1 ? state : state.repeat_interleave(trajectories, 1);
  }

  // Returns the glimpse of the decoder's outputs [B, Q, H] over the nodes.
  at::Tensor Attend(const at::Tensor& outputs, const StepInputs& inputs) const {
    const int64_t width = options_.hidden / kPointerHeads;
    const at::Tensor query = (at::linear(outputs, Parameter("glimpse.query.weight")) /
                              std::sqrt(static_cast<double>(width)))
                                 .view({outputs.size(0), outputs.size(1), kPointerHeads, width})
                                 .transpose(1, 2);
    const at::Tensor bias =
        at::linear(inputs.dynamic, Parameter("glimpse.dynamic.weight")).permute({0, 3, 1, 2});
    const at::Tensor scores = (at::matmul(query, glimpse_keys_) + bias)
                                  .masked_fill(inputs.forbidden.unsqueeze(1), kForbiddenLogit);
    const at::Tensor seen =
        at::matmul(at::softmax(scores, -1), glimpse_values_).transpose(1, 2).flatten(2);
    return at::linear(seen, Parameter("glimpse.out.weight"));
  }

  // Returns logits [B, Q, N].
  at::Tensor Score(const at::Tensor& outputs, const StepInputs& inputs) const {
    const at::Tensor query = outputs + Attend(outputs, inputs);
    const double scale = 1 / std::sqrt(static_cast<double>(options_.hidden));
    const at::Tensor content =
        at::matmul(at::linear(query, Parameter("pointer.query.weight")) * scale, pointer_keys_);
    const at::Tensor weights =
        at::linear(query, Parameter("pointer.dynamic.weight"), Parameter("pointer.dynamic.bias"));
    const at::Tensor seen = at::matmul(inputs.dynamic, weights.unsqueeze(3)).squeeze(3);
    const at::Tensor logits = at::tanh((content + seen).to(inputs.dynamic.scalar_type()));
    return (logits * options_.logit_clip).masked_fill(inputs.forbidden, kForbiddenLogit);
  }

  const PointerNetworkOptions options_;
  const TorchParameters& parameters_;
  LstmDropout dropout_;
  const at::Tensor nodes_;     // [B, N, H]
  at::Tensor glimpse_keys_;    // [B, M, H/M, N]
  at::Tensor glimpse_values_;  // [B, M, N, H/M]
  at::Tensor pointer_keys_;    // [B, H, N]
  at::Tensor gate_inputs_;     // [B, N, 4H]: the nodes' part of the first layer's gates
  at::Tensor context_gates_;   // [4H, C]: the context's part of the gates
  at::Tensor first_hidden_;    // [L, B, H]
  at::Tensor first_cell_;      // [L, B, H]
  at::Tensor hidden_;          // [L, B * P, H]
  at::Tensor cell_;            // [L, B * P, H]
};

class PointerNetwork final : public TorchNetwork {
 public:
  explicit PointerNetwork(const PointerNetworkOptions& options)
      : options_(options), inputs_(InputsOf(PointerArchitecture(), options.inputs)) {}

  std::string_view architecture() const override { return PointerArchitecture().name; }
  const NetworkInputs& inputs() const override { return inputs_; }
  bool wants_edges() const override { return false; }
  ObservationKind observation_kind() const override { return ObservationKind::kPointer; }
  bool recurrent() const override { return true; }

  std::unique_ptr<TorchDecoder> Encode(const TorchParameters& parameters, const TorchBatch& batch,
                                       const EncodeOptions& options) const override {
    const LstmDropout dropout = {.share = options.dropout ? options_.dropout : 0,
                                 .draws = options.draws};
    const at::Tensor embedded = at::linear(
        InputColumns(batch, inputs_), parameters.Get("embed.weight"), parameters.Get("embed.bias"));
    const at::Tensor zeros =
        at::zeros({options_.layers, embedded.size(0), options_.hidden}, batch.features.options());
    const at::Tensor outputs =
        RunLstm({.inputs = embedded.transpose(0, 1),
                 .hidden = zeros,
                 .cell = zeros,
                 .weights = LstmParameters(parameters, "encoder", options_.layers),
                 .dropout = dropout});
    const at::Tensor nodes =
        (embedded + outputs.transpose(0, 1)) * batch.valid.unsqueeze(2).to(outputs.scalar_type());
    return std::make_unique<PointerDecoder>(options_, parameters, batch, nodes, dropout);
  }

 private:
  const PointerNetworkOptions options_;
  const NetworkInputs inputs_;
};

}  // namespace

std::unique_ptr<TorchNetwork> MakeTorchPointerNetwork(const PointerNetworkOptions& options) {
  return std::make_unique<PointerNetwork>(options);
}

}  // namespace vrp
