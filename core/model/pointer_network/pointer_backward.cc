// Backward functions of PointerPass for the second pass.
#include <algorithm>

#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/pointer_network/pointer_pass.h"

namespace vrp {

void PointerPass::BackwardSteps(const SecondPass& pass, PointerGroup& group,
                                float* gradient) const {
  BackwardGlimpses(pass, group, gradient);
  BackwardDecoder(group, gradient);
  SpreadStepGradients(pass, group);
}

// Propagates gradients from the pointer's queries through the glimpse to the decoder's outputs.
void PointerPass::BackwardGlimpses(const SecondPass& pass, PointerGroup& group,
                                   float* gradient) const {
  const int64_t hidden = options_.hidden;
  const int64_t width = weights_.heads_width();
  const int64_t steps = group.decoder.rows();
  const int32_t count = pass.table->count();
  PointerSums& sums = group.sums;
  const Product d_weights{group.d_weights.data(), kPointerColumnPadding, steps};
  Floats* const work = &group.decoder.work;
  const Product d_pointed{group.d_pointed.data(), hidden, steps, work};
  MultiplyBackward(d_weights, weights_.dynamic, group.d_pointed.data(), true);
  AddWeightGradient(d_weights,
                    {group.pointed.data(), sums.dynamic.data(), sums.dynamic_bias.data()},
                    weights_.dynamic, group);
  MultiplyBackward(d_pointed, weights_.out, group.d_glimpse.Grow(steps * width), false);
  AddWeightGradient(d_pointed, {group.glimpse.data(), sums.out.data()}, weights_.out, group);
  const Product d_queries{group.d_queries.Grow(steps * width), width, steps, work};
  group.d_keys.GrowZero(group.encoder.rows() * width);
  group.d_values.GrowZero(group.encoder.rows() * width);
  int64_t attention = 0;
  for (size_t r = 0; r < group.by_length.size(); ++r) {
    const PointerInstance& at = group.instances[group.by_length[r] / count];
    const int64_t position = group.step_offsets[r];
    GlimpseJob<float> job = Glimpse(at, group, position, group.step_offsets[r + 1] - position);
    job.weights = group.attention.data() + attention;
    attention += kPointerHeads * job.steps * at.padded;
    float* const columns = group.value_columns.Grow(width * at.padded);
    kernels_.transpose(group.values.data() + at.row * width, at.nodes, width, at.padded, columns);
    kernels_.glimpse_back(job, {.keys = group.keys.data() + at.row * width,
                                .value_columns = columns,
                                .d_glimpse = group.d_glimpse.data() + position * width,
                                .d_queries = group.d_queries.data() + position * width,
                                .d_keys = group.d_keys.data() + at.row * width,
                                .d_values = group.d_values.data() + at.row * width,
                                .d_dynamic_weight = gradient + weights_.glimpse_dynamic_offset,
                                .scratch = group.logits.data()});
  }
  AddWeightGradient(d_queries, {group.outputs.data(), sums.query.data()}, weights_.query, group);
  MultiplyBackward(d_queries, weights_.query, group.d_pointed.data(), true);
}

void PointerPass::BackwardDecoder(PointerGroup& group, float* gradient) const {
  const int64_t hidden = options_.hidden;
  const int64_t steps = group.decoder.rows();
  PointerStack& stack = group.decoder;
  const int64_t begin = stack.sequences() * hidden;
  float* const top = stack.d_hiddens.back().Grow(begin + steps * hidden);
  std::fill_n(top, begin, 0.0f);
  const float* from = group.d_pointed.data();
  for (size_t r = 0; r < group.by_length.size(); ++r) {
    for (int64_t t = 0; t < group.step_offsets[r + 1] - group.step_offsets[r];
         ++t, from += hidden) {
      std::copy_n(from, hidden, top + begin + (stack.first[t] + static_cast<int64_t>(r)) * hidden);
    }
  }
  BackwardStack(weights_.decoder, stack, group, gradient);
  AddWeightGradient({stack.gates[0].data(), gate_stride_, steps},
                    {group.context.data(), group.sums.context.data()}, weights_.context, group);
}

// Propagates gradients from the decoder's inputs to the nodes and to the decoder's first states.
void PointerPass::SpreadStepGradients(const SecondPass& pass, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t layers = options_.layers;
  const PointerStack& stack = group.decoder;
  float* const d_gates = group.d_gate_inputs.GrowZero(group.encoder.rows() * gate_stride_);
  float* const d_start = group.d_start.GrowZero(int64_t{2} * group.count * layers * hidden);
  for (size_t r = 0; r < group.by_length.size(); ++r) {
    const int32_t b = group.by_length[r] / pass.table->count();
    for (int64_t t = 0; t < group.step_offsets[r + 1] - group.step_offsets[r]; ++t) {
      const int64_t read = group.reads[int64_t{group.by_length[r]} * pass.table->max_steps() + t];
      float* const to = d_gates + (group.instances[b].row + read) * gate_stride_;
      const float* const gates =
          stack.gates[0].data() + (stack.first[t] + static_cast<int64_t>(r)) * gate_stride_;
      for (int64_t i = 0; i < 4 * hidden; ++i) to[i] += gates[i];
    }
    float* const start = d_start + int64_t{2} * b * layers * hidden;
    for (int64_t l = 0; l < layers; ++l) {
      const int64_t at = static_cast<int64_t>(r) * hidden;
      for (int64_t h = 0; h < hidden; ++h) {
        start[l * hidden + h] += stack.d_hiddens[l].data()[at + h];
        start[(layers + l) * hidden + h] += stack.d_cells[l].data()[at + h];
      }
    }
  }
}

// Propagates gradients through everything before the decoder.
void PointerPass::BackwardNodes(PointerGroup& group, float* gradient) const {
  BackwardProjections(group, gradient);
  BackwardEncoder(group, gradient);
}

// Propagates gradients to the nodes' encodings and their means.
void PointerPass::BackwardProjections(PointerGroup& group, float* gradient) const {
  const int64_t hidden = options_.hidden;
  const int64_t width = weights_.heads_width();
  const int64_t rows = group.encoder.rows();
  const int64_t states = int64_t{2} * options_.layers * hidden;
  PointerSums& sums = group.sums;
  const Product d_start{group.d_start.data(), states, group.count};
  for (int64_t b = 0; b < group.count; ++b) {
    for (int64_t i = b * states; i < b * states + states / 2; ++i) {
      const float hidden_state = group.start.data()[i];
      group.d_start.data()[i] *= 1 - hidden_state * hidden_state;
    }
  }
  AddWeightGradient(
      d_start,
      {group.mean.data(), gradient + weights_.start_offset, gradient + weights_.start_bias_offset},
      weights_.start, group);
  MultiplyBackward(d_start, weights_.start, group.d_mean.Grow(group.count * hidden), false);
  const float* const nodes = group.nodes.data();
  float* const d_nodes = group.d_nodes.Grow(rows * hidden);
  Floats* const work = &group.encoder.work;
  const Product d_keys{group.d_keys.data(), width, rows, work};
  const Product d_values{group.d_values.data(), width, rows, work};
  const Product d_pointer_keys{group.d_pointer_keys.data(), hidden, rows, work};
  const Product d_gates{group.d_gate_inputs.data(), gate_stride_, rows, work};
  const PointerLayer& first = weights_.decoder[0];
  AddWeightGradient(d_keys, {nodes, sums.key.data()}, weights_.key, group);
  AddWeightGradient(d_values, {nodes, sums.value.data()}, weights_.value, group);
  AddWeightGradient(d_pointer_keys, {nodes, sums.pointer.data()}, weights_.pointer, group);
  AddWeightGradient(d_gates, {nodes, gradient + first.input_offset, gradient + first.bias_offset},
                    first.input, group);
  MultiplyBackward(d_keys, weights_.key, d_nodes, false);
  MultiplyBackward(d_values, weights_.value, d_nodes, true);
  MultiplyBackward(d_pointer_keys, weights_.pointer, d_nodes, true);
  MultiplyBackward(d_gates, first.input, d_nodes, true);
}

void PointerPass::BackwardEncoder(PointerGroup& group, float* gradient) const {
  const int64_t hidden = options_.hidden;
  const int64_t rows = group.encoder.rows();
  const float* const d_nodes = group.d_nodes.data();
  PointerStack& stack = group.encoder;
  const int64_t begin = stack.sequences() * hidden;
  float* const top = stack.d_hiddens.back().Grow(begin + rows * hidden);
  std::fill_n(top, begin, 0.0f);
  for (int64_t b = 0; b < group.count; ++b) {
    const PointerInstance& at = group.instances[b];
    const float* const mean = group.d_mean.data() + b * hidden;
    const float share = 1 / static_cast<float>(at.nodes);
    for (int64_t n = 0; n < at.nodes; ++n) {
      const float* const from = d_nodes + (at.row + n) * hidden;
      float* const to = top + begin + (stack.first[n] + at.encoder_row) * hidden;
      for (int64_t h = 0; h < hidden; ++h) to[h] = from[h] + mean[h] * share;
    }
  }
  // Embeddings get the same gradient as the encoder's outputs, before the stack adds to it.
  const float* const features = group.features.data();
  AddWeightGradient({top + begin, hidden, rows}, {features, group.sums.embed.data()},
                    weights_.embed, group);
  BackwardStack(weights_.encoder, stack, group, gradient);
  AddWeightGradient({stack.gates[0].data(), gate_stride_, rows},
                    {features, group.sums.encoder_input.data()}, weights_.encoder_input, group);
}

}  // namespace vrp
