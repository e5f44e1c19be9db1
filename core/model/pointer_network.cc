#include "core/model/pointer_network.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "core/base/text.h"
#include "core/model/routing_state.h"

namespace vrp {
namespace {

constexpr int64_t kHeads = 8;  // hidden is a multiple of it

std::vector<ParameterSpec> Specs(const PointerNetworkOptions& options) {
  const int64_t hidden = options.hidden;
  std::vector<ParameterSpec> specs;
  const auto linear = [&specs](const std::string& name, int64_t out, int64_t in, bool bias) {
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    specs.push_back({name + ".weight", {out, in}, bound});
    if (bias) specs.push_back({name + ".bias", {out}, bound});
  };
  const auto lstm = [&](const std::string& name) {
    const double bound = 1 / std::sqrt(static_cast<double>(hidden));
    for (int32_t layer = 0; layer < options.layers; ++layer) {
      specs.push_back({Concat(name, ".weight_ih_l", layer), {4 * hidden, hidden}, bound});
      specs.push_back({Concat(name, ".weight_hh_l", layer), {4 * hidden, hidden}, bound});
      specs.push_back({Concat(name, ".bias_ih_l", layer), {4 * hidden}, bound});
      specs.push_back({Concat(name, ".bias_hh_l", layer), {4 * hidden}, bound});
    }
  };
  linear("embed", hidden, kStaticFeatures, true);
  lstm("encoder");
  linear("start", 2 * options.layers * hidden, hidden, true);
  linear("context", hidden, kContextFeatures, false);
  lstm("decoder");
  for (const char* name : {"glimpse.query", "glimpse.key", "glimpse.value", "glimpse.out"}) {
    linear(name, hidden, hidden, false);
  }
  linear("glimpse.dynamic", kHeads, kDynamicFeatures, false);
  linear("pointer.query", hidden, hidden, false);
  linear("pointer.key", hidden, hidden, false);
  linear("pointer.dynamic", kDynamicFeatures, hidden, true);
  return specs;
}

// Autocast off while it lives, where `off`: oneDNN's LSTM in bf16 is left alone on the CPU.
class PausedAutocast {
 public:
  explicit PausedAutocast(bool off) : was_on_(at::autocast::is_autocast_enabled(at::kCPU)) {
    if (off && was_on_) at::autocast::set_autocast_enabled(at::kCPU, false);
  }
  ~PausedAutocast() { at::autocast::set_autocast_enabled(at::kCPU, was_on_); }
  PausedAutocast(const PausedAutocast&) = delete;
  PausedAutocast& operator=(const PausedAutocast&) = delete;

 private:
  const bool was_on_;
};

// An LSTM over `inputs` [T, B, H]: its outputs [T, B, H].
at::Tensor RunLstm(const at::Tensor& inputs, at::TensorList state,
                   const std::vector<at::Tensor>& parameters, double dropout) {
  const PausedAutocast paused(inputs.is_cpu());
  const auto layers = static_cast<int64_t>(parameters.size() / 4);
  const at::ScalarType type = parameters[0].scalar_type();
  const std::vector<at::Tensor> start = {state[0].to(type).contiguous(),
                                         state[1].to(type).contiguous()};
  return std::get<0>(at::lstm(inputs.to(type).contiguous(), start, parameters, true, layers,
                              dropout, dropout > 0, false, false));
}

}  // namespace

NodeBatch MakeNodeBatch(std::span<const NetworkInput> inputs, at::TensorOptions options) {
  int64_t longest = 0;
  for (const NetworkInput& input : inputs) longest = std::max<int64_t>(longest, input.size());
  const auto count = static_cast<int64_t>(inputs.size());
  at::Tensor features = at::zeros({count, longest, kStaticFeatures}, at::kFloat);
  at::Tensor valid = at::zeros({count, longest}, at::kBool);
  at::Tensor last = at::empty({count}, at::kLong);
  for (int64_t b = 0; b < count; ++b) {
    const NetworkInput& input = inputs[static_cast<size_t>(b)];
    std::copy(input.features.begin(), input.features.end(),
              features.mutable_data_ptr<float>() + b * longest * kStaticFeatures);
    std::fill_n(valid.mutable_data_ptr<bool>() + b * longest, input.size(), true);
    last.mutable_data_ptr<int64_t>()[b] = input.size() - 1;
  }
  return {features.to(options), valid.to(options.device()), last.to(options.device())};
}

EncodedNodes EncodedNodes::Detached() const {
  return {nodes.detach(),        glimpse_keys.detach(), glimpse_values.detach(),
          pointer_keys.detach(), gate_inputs.detach(),  context_gates.detach(),
          hidden.detach(),       cell.detach()};
}

PointerNetwork::PointerNetwork(const PointerNetworkOptions& options, at::TensorOptions tensors,
                               uint64_t seed)
    : options_(options), heads_(kHeads), parameters_(Specs(options), tensors, seed) {}

std::vector<at::Tensor> PointerNetwork::LstmParameters(std::string_view prefix) const {
  std::vector<at::Tensor> parameters;
  for (int32_t layer = 0; layer < options_.layers; ++layer) {
    for (const char* part : {".weight_ih_l", ".weight_hh_l", ".bias_ih_l", ".bias_hh_l"}) {
      parameters.push_back(Parameter(Concat(prefix, part, layer)));
    }
  }
  return parameters;
}

EncodedNodes PointerNetwork::Encode(const NodeBatch& batch, bool dropout) const {
  const int64_t count = batch.features.size(0);
  const int64_t nodes = batch.features.size(1);
  const int64_t hidden = options_.hidden;
  const int64_t layers = options_.layers;
  const at::Tensor embedded =
      at::linear(batch.features, Parameter("embed.weight"), Parameter("embed.bias"));
  const at::Tensor zeros = at::zeros({layers, count, hidden}, batch.features.options());
  const at::Tensor outputs = RunLstm(embedded.transpose(0, 1), {zeros, zeros},
                                     LstmParameters("encoder"), dropout ? options_.dropout : 0);
  EncodedNodes encoded;
  const at::Tensor weight = batch.valid.unsqueeze(2).to(outputs.scalar_type());
  encoded.nodes = (embedded + outputs.transpose(0, 1)) * weight;
  const at::Tensor mean = encoded.nodes.sum(1) / weight.sum(1);
  const auto by_head = [&](const char* name) {
    return at::linear(encoded.nodes, Parameter(name)).view({count, nodes, heads_, hidden / heads_});
  };
  encoded.glimpse_keys = by_head("glimpse.key.weight").permute({0, 2, 3, 1}).contiguous();
  encoded.glimpse_values = by_head("glimpse.value.weight").permute({0, 2, 1, 3}).contiguous();
  encoded.pointer_keys =
      at::linear(encoded.nodes, Parameter("pointer.key.weight")).transpose(1, 2).contiguous();
  const at::Tensor start = at::linear(mean, Parameter("start.weight"), Parameter("start.bias"))
                               .view({count, 2, layers, hidden})
                               .permute({1, 2, 0, 3});
  encoded.hidden = at::tanh(start[0]).contiguous();
  encoded.cell = start[1].contiguous();
  encoded.gate_inputs =
      at::linear(encoded.nodes, Parameter("decoder.weight_ih_l0"),
                 Parameter("decoder.bias_ih_l0") + Parameter("decoder.bias_hh_l0"));
  encoded.context_gates =
      at::matmul(Parameter("decoder.weight_ih_l0"), Parameter("context.weight"));
  return encoded;
}

DecoderState PointerNetwork::Start(const EncodedNodes& encoded, int64_t trajectories) const {
  const auto repeat = [trajectories](const at::Tensor& state) {
    return trajectories == 1 ? state : state.repeat_interleave(trajectories, 1);
  };
  return {repeat(encoded.hidden), repeat(encoded.cell)};
}

at::Tensor PointerNetwork::Step(const EncodedNodes& encoded, const StepInputs& inputs,
                                DecoderState& state) const {
  const int64_t count = inputs.current.size(0);
  const int64_t trajectories = inputs.current.size(1);
  const int64_t hidden = options_.hidden;
  const at::Tensor where = inputs.current.unsqueeze(2).expand({count, trajectories, 4 * hidden});
  const at::Tensor context_gates = at::linear(inputs.context, encoded.context_gates);
  at::Tensor gates = (encoded.gate_inputs.gather(1, where) + context_gates).flatten(0, 1);
  std::vector<at::Tensor> hiddens;
  std::vector<at::Tensor> cells;
  for (int64_t layer = 0; layer < options_.layers; ++layer) {
    if (layer > 0) {
      gates = at::linear(hiddens.back(), Parameter(Concat("decoder.weight_ih_l", layer)),
                         Parameter(Concat("decoder.bias_ih_l", layer)) +
                             Parameter(Concat("decoder.bias_hh_l", layer)));
    }
    gates =
        at::addmm(gates, state.hidden[layer], Parameter(Concat("decoder.weight_hh_l", layer)).t());
    const std::vector<at::Tensor> parts = gates.chunk(4, 1);  // input, forget, candidate, output
    cells.push_back(at::sigmoid(parts[1]) * state.cell[layer] +
                    at::sigmoid(parts[0]) * at::tanh(parts[2]));
    hiddens.push_back(at::sigmoid(parts[3]) * at::tanh(cells.back()));
  }
  state = {at::stack(hiddens), at::stack(cells)};
  const at::Tensor outputs = hiddens.back().view({count, trajectories, hidden});
  const bool loops = outputs.is_cpu() && outputs.scalar_type() == at::kFloat &&
                     encoded.pointer_keys.scalar_type() == at::kFloat &&
                     !c10::GradMode::is_enabled();
  return loops ? ScoreByLoops(encoded, outputs, inputs) : Score(encoded, outputs, inputs);
}

at::Tensor PointerNetwork::Replay(const EncodedNodes& encoded, const StepInputs& inputs,
                                  int64_t trajectories, bool dropout) const {
  const int64_t count = inputs.current.size(0);
  const int64_t hidden = options_.hidden;
  const int64_t steps = inputs.current.size(1) / trajectories;
  const at::Tensor where = inputs.current.unsqueeze(2).expand({-1, -1, hidden});
  const at::Tensor sequence =
      (encoded.nodes.gather(1, where) + at::linear(inputs.context, Parameter("context.weight")))
          .view({count * trajectories, steps, hidden})
          .transpose(0, 1);
  const DecoderState start = Start(encoded, trajectories);
  const at::Tensor outputs = RunLstm(sequence, {start.hidden, start.cell},
                                     LstmParameters("decoder"), dropout ? options_.dropout : 0);
  return Score(encoded, outputs.transpose(0, 1).reshape({count, trajectories * steps, hidden}),
               inputs);
}

at::Tensor PointerNetwork::Attend(const EncodedNodes& encoded, const at::Tensor& outputs,
                                  const StepInputs& inputs) const {
  const int64_t count = outputs.size(0);
  const int64_t queries = outputs.size(1);
  const int64_t width = options_.hidden / heads_;
  const at::Tensor query = (at::linear(outputs, Parameter("glimpse.query.weight")) /
                            std::sqrt(static_cast<double>(width)))
                               .view({count, queries, heads_, width})
                               .transpose(1, 2);
  const at::Tensor bias =
      at::linear(inputs.dynamic, Parameter("glimpse.dynamic.weight")).permute({0, 3, 1, 2});
  const at::Tensor scores =
      (at::matmul(query, encoded.glimpse_keys) + bias)
          .masked_fill(inputs.forbidden.unsqueeze(1), -std::numeric_limits<float>::infinity());
  const at::Tensor seen = at::matmul(at::softmax(scores, -1), encoded.glimpse_values)
                              .transpose(1, 2)
                              .reshape({count, queries, options_.hidden});
  return at::linear(seen, Parameter("glimpse.out.weight"));
}

at::Tensor PointerNetwork::Score(const EncodedNodes& encoded, const at::Tensor& outputs,
                                 const StepInputs& inputs) const {
  const at::Tensor query = outputs + Attend(encoded, outputs, inputs);
  const double scale = 1 / std::sqrt(static_cast<double>(options_.hidden));
  const at::Tensor content = at::matmul(
      at::linear(query, Parameter("pointer.query.weight")) * scale, encoded.pointer_keys);
  const at::Tensor weights =
      at::linear(query, Parameter("pointer.dynamic.weight"), Parameter("pointer.dynamic.bias"));
  const at::Tensor seen = at::matmul(inputs.dynamic, weights.unsqueeze(3)).squeeze(3);
  const at::Tensor logits = at::tanh((content + seen).to(inputs.dynamic.scalar_type()));
  return (logits * options_.logit_clip)
      .masked_fill(inputs.forbidden, -std::numeric_limits<float>::infinity());
}

}  // namespace vrp
