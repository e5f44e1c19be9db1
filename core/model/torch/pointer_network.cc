#include <ATen/ATen.h>

#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/kernels/routing/pointer_observation.h"
#include "core/model/torch/lstm.h"
#include "core/model/torch/networks.h"

namespace vrp {
namespace {

// Multiple to which rows of products are padded, because tensor cores need aligned rows.
constexpr int64_t kPointerRows = 8;

// The decoder's weights in the layouts and the type of its steps.
struct StepWeights {
  std::vector<at::Tensor> input;      // [4H, H] of each layer after the first
  std::vector<at::Tensor> bias;       // [4H] of each layer after the first
  std::vector<at::Tensor> recurrent;  // [H, 4H] of each layer
  at::Tensor glimpse_query;           // [H, H], divided by the square root of a head's width
  at::Tensor glimpse_dynamic;         // [D, M]
  at::Tensor glimpse_out;             // [H, H], transposed
  at::Tensor pointer;                 // [R, H]: H rows of the content, D of the features, padding
  at::Tensor pointer_bias;            // [R]
};

// Returns the next hidden and cell states [R, H] of an LSTM's layer. Its gates [R, 4H] are the sums
// of both parts: input, forget, candidate, output.
std::pair<at::Tensor, at::Tensor> NextState(const at::Tensor& input_gates,
                                            const at::Tensor& hidden_gates,
                                            const at::Tensor& cell) {
  if (input_gates.is_cuda()) {
    const auto [hidden, next, workspace] =
        at::_thnn_fused_lstm_cell(input_gates, hidden_gates, cell);
    return {hidden, next};
  }
  const std::vector<at::Tensor> parts = (input_gates + hidden_gates).chunk(4, 1);
  const at::Tensor next = at::sigmoid(parts[1]) * cell + at::sigmoid(parts[0]) * at::tanh(parts[2]);
  return {at::sigmoid(parts[3]) * at::tanh(next), next};
}

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
    pointer_keys_ = at::linear(nodes, Parameter("pointer.key.weight")).transpose(1, 2);
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
    hidden_ = Repeated(first_hidden_, trajectories).to(type()).unbind(0);
    cell_ = Repeated(first_cell_, trajectories).to(type()).unbind(0);
    weights_ = MakeStepWeights();
  }

  StepInputs Prepare(const StepInputs& inputs) const override {
    const PausedAutocast paused(nodes_.device().type());
    StepInputs prepared = inputs;
    prepared.dynamic = inputs.dynamic.to(type());
    prepared.gates = at::linear(inputs.shares.to(type()), context_gates_);
    prepared.bias = at::matmul(prepared.dynamic, weights_.glimpse_dynamic)
                        .masked_fill(inputs.forbidden.unsqueeze(3), kForbiddenLogit);
    return prepared;
  }

  at::Tensor Step(const StepInputs& inputs) override {
    const PausedAutocast paused(nodes_.device().type());
    const StepInputs prepared = inputs.bias.defined() ? inputs : Prepare(inputs);
    const at::Tensor where =
        inputs.current.unsqueeze(2).expand({-1, -1, int64_t{4} * options_.hidden});
    at::Tensor gates = (gate_inputs_.gather(1, where) + prepared.gates).flatten(0, 1);
    for (size_t layer = 0; layer < hidden_.size(); ++layer) {
      if (layer > 0) {
        gates = at::linear(hidden_[layer - 1], weights_.input[layer - 1], weights_.bias[layer - 1]);
      }
      std::tie(hidden_[layer], cell_[layer]) =
          NextState(gates, at::mm(hidden_[layer], weights_.recurrent[layer]), cell_[layer]);
    }
    return ScoreStep(hidden_.back(), prepared);
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

  at::ScalarType type() const { return glimpse_keys_.scalar_type(); }  // of the steps

  StepWeights MakeStepWeights() const {
    const auto weight = [this](std::string_view name) { return Parameter(name).to(type()); };
    const int64_t width = options_.hidden / kPointerHeads;
    const double scale = 1 / std::sqrt(static_cast<double>(options_.hidden));
    const at::Tensor bias = Parameter("pointer.dynamic.bias");
    StepWeights weights;
    for (int32_t layer = 0; layer < options_.layers; ++layer) {
      weights.recurrent.push_back(weight(Concat("decoder.weight_hh_l", layer)).t());
      if (layer == 0) continue;
      weights.input.push_back(weight(Concat("decoder.weight_ih_l", layer)));
      weights.bias.push_back((Parameter(Concat("decoder.bias_ih_l", layer)) +
                              Parameter(Concat("decoder.bias_hh_l", layer)))
                                 .to(type()));
    }
    weights.glimpse_query =
        (Parameter("glimpse.query.weight") / std::sqrt(static_cast<double>(width))).to(type());
    weights.glimpse_dynamic = weight("glimpse.dynamic.weight").t();
    weights.glimpse_out = weight("glimpse.out.weight").t();
    const int64_t padding = (kPointerRows - bias.size(0) % kPointerRows) % kPointerRows;
    weights.pointer = at::constant_pad_nd(at::cat({Parameter("pointer.query.weight") * scale,
                                                   Parameter("pointer.dynamic.weight")}),
                                          {0, 0, 0, padding})
                          .to(type());
    weights.pointer_bias = at::constant_pad_nd(bias, {options_.hidden, padding}).to(type());
    return weights;
  }

  // Returns logits [B, P, N] for outputs [B * P, H]. Equals Score with fewer launches.
  at::Tensor ScoreStep(const at::Tensor& outputs, const StepInputs& prepared) const {
    const int64_t count = prepared.current.size(0);
    const int64_t hidden = options_.hidden;
    const at::Tensor query = at::linear(outputs, weights_.glimpse_query)
                                 .view({count, -1, kPointerHeads, hidden / kPointerHeads})
                                 .transpose(1, 2);
    const at::Tensor scores =
        at::matmul(query, glimpse_keys_) + prepared.bias.permute({0, 3, 1, 2});
    const at::Tensor seen = at::matmul(at::softmax(scores, -1), glimpse_values_).transpose(1, 2);
    const at::Tensor reading =
        at::linear(at::addmm(outputs, seen.reshape({-1, hidden}), weights_.glimpse_out),
                   weights_.pointer, weights_.pointer_bias)
            .view({count, -1, weights_.pointer.size(0)});
    const at::Tensor of_features = reading.narrow(2, hidden, prepared.dynamic.size(3));
    const at::Tensor features = at::matmul(prepared.dynamic, of_features.unsqueeze(3)).squeeze(3);
    const at::Tensor sum = at::baddbmm(features, reading.narrow(2, 0, hidden), pointer_keys_);
    const at::Tensor logits = at::tanh(sum.to(prepared.shares.scalar_type()));
    return (logits * options_.logit_clip).masked_fill(prepared.forbidden, kForbiddenLogit);
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
  StepWeights weights_;
  std::vector<at::Tensor> hidden_;  // [B * P, H] of each layer
  std::vector<at::Tensor> cell_;    // [B * P, H] of each layer
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
