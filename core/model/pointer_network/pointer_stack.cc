// Functions of PointerPass for matrix products and for passes through the stacks of LSTM layers.
#include <algorithm>

#include "core/kernels/routing/step_random.h"
#include "core/model/pointer_network/pointer_pass.h"

namespace vrp {

PointerPass::PointerPass(const PointerNetworkOptions& options, Isa isa, Bf16 bf16)
    : options_(options),
      gate_stride_(GateStride<float>(options.hidden)),
      kernels_(PointerKernelsFor<float>(isa)),
      weights_(options, isa, bf16) {}

float* PointerPass::Product::WorkFor(const PointerLinear& weight, int64_t inner) const {
  const int64_t size = weight.kernels->work_size(rows, inner);
  return size > 0 ? work->Grow(size) : nullptr;
}

void PointerPass::Multiply(const Product& a, const PointerLinear& weight, const float* bias,
                           float* to) const {
  MultiplyTo(a, weight, bias, {to, weight.outputs});
}

void PointerPass::MultiplyAdd(const Product& a, const PointerLinear& weight, Rows<float> to) const {
  weight.kernels->multiply({.rows = a.rows,
                            .inner = weight.inputs,
                            .columns = weight.outputs,
                            .a = a.a,
                            .a_stride = a.stride,
                            .packed = weight.forward.data(),
                            .add = true,
                            .to = to.data,
                            .to_stride = to.stride,
                            .work = a.WorkFor(weight, weight.inputs)});
}

void PointerPass::MultiplyTo(const Product& a, const PointerLinear& weight, const float* bias,
                             Rows<float> to) const {
  weight.kernels->multiply({.rows = a.rows,
                            .inner = weight.inputs,
                            .columns = weight.outputs,
                            .a = a.a,
                            .a_stride = a.stride,
                            .packed = weight.forward.data(),
                            .bias = bias,
                            .to = to.data,
                            .to_stride = to.stride,
                            .work = a.WorkFor(weight, weight.inputs)});
}

void PointerPass::MultiplyBackward(const Product& a, const PointerLinear& weight, float* to,
                                   bool add) const {
  weight.kernels->multiply({.rows = a.rows,
                            .inner = weight.outputs,
                            .columns = weight.inputs,
                            .a = a.a,
                            .a_stride = a.stride,
                            .packed = weight.back.data(),
                            .add = add,
                            .to = to,
                            .to_stride = weight.inputs,
                            .work = a.WorkFor(weight, weight.outputs)});
}

void PointerPass::AddWeightGradient(const Product& a, const WeightSum& sum,
                                    const PointerLinear& weight, PointerGroup& group) const {
  const LstmKernels<float>& kernels = *weight.kernels;
  kernels.add_weight_gradient(
      {.rows = a.rows,
       .a = a.a,
       .a_stride = a.stride,
       .outputs = weight.outputs,
       .b = sum.b,
       .inputs = weight.inputs,
       .weights = sum.weights,
       .bias = sum.bias,
       .scratch = group.scratch.Grow(kernels.weight_scratch(weight.inputs))});
}

void PointerPass::GrowStack(PointerStack& stack) const {
  const auto layers = static_cast<size_t>(options_.layers);
  const int64_t hidden = options_.hidden;
  const int64_t states = (stack.sequences() + stack.rows()) * hidden;
  for (auto* buffers : {&stack.gates, &stack.cells, &stack.hiddens, &stack.inputs,
                        &stack.dropout_factors, &stack.d_hiddens, &stack.d_cells}) {
    buffers->resize(layers);
  }
  for (size_t l = 0; l < layers; ++l) {
    stack.gates[l].Grow(stack.rows() * gate_stride_);
    stack.cells[l].Grow(states);
    stack.hiddens[l].Grow(states);
  }
}

// Writes the dropout factors of a layer's inputs to stack.dropout_factors.
void PointerPass::DrawDropoutFactors(const PointerDropout& dropout, int64_t layer,
                                     PointerStack& stack) const {
  const int64_t hidden = options_.hidden;
  const DropoutRate rate = DropoutRateOf(dropout.share);
  DropoutKey key{.seed = dropout.seed,
                 .stream = dropout.stream,
                 .layer = static_cast<int32_t>(layer),
                 .decoder = dropout.decoder};
  float* factors = stack.dropout_factors[static_cast<size_t>(layer)].Grow(stack.rows() * hidden);
  for (size_t t = 0; t + 1 < stack.first.size(); ++t) {
    key.step = static_cast<int32_t>(t);
    for (int32_t r = 0; r < stack.first[t + 1] - stack.first[t]; ++r) {
      key.sequence = dropout.first + dropout.order[r];
      for (key.block = 0; key.block < hidden / 8; ++key.block, factors += 8) {
        WriteDropoutFactors(key, rate, factors);
      }
    }
  }
}

LstmRun<float> PointerPass::RunOf(const PointerLayer& layer, size_t l, PointerStack& stack) const {
  const int64_t size =
      layer.recurrent.kernels->work_size(stack.sequences(), int64_t{4} * options_.hidden);
  return {.first = stack.first,
          .hidden_size = options_.hidden,
          .from_zero = stack.from_zero,
          .gates = stack.gates[l].data(),
          .cells = stack.cells[l].data(),
          .hiddens = stack.hiddens[l].data(),
          .work = stack.work.Grow(size)};
}

void PointerPass::ForwardStack(const std::vector<PointerLayer>& layers,
                               const PointerDropout& dropout, PointerStack& stack) const {
  const int64_t hidden = options_.hidden;
  const int64_t rows = stack.rows();
  stack.has_dropout = dropout.share > 0;
  for (size_t l = stack.done; l < layers.size(); ++l) {
    if (l > 0) {
      const float* input = stack.hiddens[l - 1].data() + stack.sequences() * hidden;
      if (stack.has_dropout) {
        DrawDropoutFactors(dropout, static_cast<int64_t>(l), stack);
        float* const to = stack.inputs[l].Grow(rows * hidden);
        const float* const factors = stack.dropout_factors[l].data();
        for (int64_t i = 0; i < rows * hidden; ++i) to[i] = input[i] * factors[i];
        input = to;
      }
      MultiplyTo({input, hidden, rows, &stack.work}, layers[l].input, layers[l].bias.data(),
                 {stack.gates[l].data(), gate_stride_});
    }
    const PointerLinear& recurrent = layers[l].recurrent;
    LstmForward<float>(*recurrent.kernels, recurrent.forward.data(), RunOf(layers[l], l, stack));
  }
}

// Adds the gradient of a layer's recurrent weights, given that of its gates.
void PointerPass::AddRecurrentWeightGradient(const PointerLayer& layer, const LstmRun<float>& run,
                                             PointerGroup& group, float* gradient) const {
  const float* before = run.hiddens;
  if (run.rows() != run.sequences() * (std::ssize(run.first) - 1)) {
    GatherPreviousHidden<float>(run, group.gathered.Grow(run.rows() * options_.hidden));
    before = group.gathered.data();
  }  // the states of sequences of equal length are contiguous already
  const int64_t skipped = run.from_zero ? run.sequences() : 0;
  AddWeightGradient({run.gates + skipped * gate_stride_, gate_stride_, run.rows() - skipped},
                    {before + skipped * options_.hidden, gradient + layer.recurrent_offset},
                    layer.recurrent, group);
}

void PointerPass::BackwardStack(const std::vector<PointerLayer>& layers, PointerStack& stack,
                                PointerGroup& group, float* gradient) const {
  const int64_t hidden = options_.hidden;
  const int64_t rows = stack.rows();
  const int64_t begin = stack.sequences() * hidden;
  for (size_t l = layers.size(); l-- > 0;) {
    const PointerLayer& layer = layers[l];
    const LstmRun<float> run = RunOf(layer, l, stack);
    LstmBackward<float>(*layer.recurrent.kernels, layer.recurrent.back.data(), run,
                        stack.d_hiddens[l].data(), stack.d_cells[l].Grow(begin));
    AddRecurrentWeightGradient(layer, run, group, gradient);
    if (l == 0) return;
    const Product d_gates{run.gates, gate_stride_, rows, &stack.work};
    const float* const input =
        stack.has_dropout ? stack.inputs[l].data() : stack.hiddens[l - 1].data() + begin;
    AddWeightGradient(d_gates, {input, gradient + layer.input_offset, gradient + layer.bias_offset},
                      layer.input, group);
    float* const below = stack.d_hiddens[l - 1].Grow(begin + rows * hidden);
    std::fill_n(below, begin, 0.0f);
    MultiplyBackward(d_gates, layer.input, below + begin, false);
    if (!stack.has_dropout) continue;
    const float* const factors = stack.dropout_factors[l].data();
    for (int64_t i = 0; i < rows * hidden; ++i) below[begin + i] *= factors[i];
  }
}

}  // namespace vrp
