// Functions of PointerPass for a step of the decoder: LSTM layers, glimpse and pointer.
#include <algorithm>
#include <cmath>

#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/pointer_network/pointer_pass.h"

namespace vrp {

// Copies the decoder's first states and grows the memory for its inputs.
void PointerPass::StartSteps(int64_t trajectories, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t layers = options_.layers;
  const int64_t rows = group.count * trajectories;
  float* const state = group.step_hidden.Grow(layers * rows * hidden);
  float* const cell = group.step_cell.Grow(layers * rows * hidden);
  for (int64_t l = 0; l < layers; ++l) {
    for (int64_t row = 0; row < rows; ++row) {
      const float* const start = group.start.data() + row / trajectories * 2 * layers * hidden;
      std::copy_n(start + l * hidden, hidden, state + (l * rows + row) * hidden);
      std::copy_n(start + (layers + l) * hidden, hidden, cell + (l * rows + row) * hidden);
    }
  }
  const PointerInstance& last = group.instances.back();
  group.logits.Grow((last.columns + last.padded) * trajectories);
  group.step_gates.Grow(rows * gate_stride_);
  group.context.GrowZero(rows * kPointerColumnPadding);
}

void PointerPass::ReadNode(const PointerInstance& at, int32_t node, const RouteState& state,
                           int64_t row, PointerGroup& group) const {
  std::copy_n(group.gate_inputs.data() + (at.row + node) * gate_stride_, 4 * options_.hidden,
              group.step_gates.data() + row * gate_stride_);
  WritePointerContext(at.rules, state, group.context.data() + row * kPointerColumnPadding);
}

void PointerPass::StepLayer(int64_t l, int64_t rows, int64_t stride, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const PointerLayer& layer = weights_.decoder[l];
  float* const state = group.step_hidden.data() + l * stride;
  float* const cell = group.step_cell.data() + l * stride;
  Floats* const work = &group.decoder.work;
  if (l > 0) {
    MultiplyTo({state - stride, hidden, rows, work}, layer.input, layer.bias.data(),
               {group.step_gates.data(), gate_stride_});
  }
  const Product before{state, hidden, rows, work};
  layer.recurrent.kernels->step({.rows = rows,
                                 .hidden_size = hidden,
                                 .packed = layer.recurrent.forward.data(),
                                 .hidden = state,
                                 .cell = cell,
                                 .gates = group.step_gates.data(),
                                 .next_cell = cell,
                                 .next_hidden = state,
                                 .work = before.WorkFor(layer.recurrent, hidden)});
}

GlimpseJob<float> PointerPass::Glimpse(const PointerInstance& at, PointerGroup& group, int64_t row,
                                       int64_t steps) const {
  const int64_t width = weights_.heads_width();
  const int32_t head = options_.hidden / kPointerHeads;  // width without padding
  return {.steps = steps,
          .nodes = at.nodes,
          .padded_nodes = at.padded,
          .heads = kPointerHeads,
          .channels = weights_.channels(),
          .scale = 1 / std::sqrt(static_cast<float>(head)),
          .views = group.views.data() + row,
          .queries = group.queries.data() + row * width,
          .key_columns = group.key_columns.data() + at.columns * width,
          .values = group.values.data() + at.row * width,
          .dynamic_weight = weights_.glimpse_dynamic.data()};
}

PointerJob<float> PointerPass::Logits(const PointerInstance& at, PointerGroup& group, int64_t row,
                                      int64_t steps) const {
  const int64_t hidden = options_.hidden;
  return {.steps = steps,
          .nodes = at.nodes,
          .padded_nodes = at.padded,
          .hidden = hidden,
          .clip = static_cast<float>(options_.logit_clip),
          .views = group.views.data() + row,
          .queries = group.pointed.data() + row * hidden,
          .key_columns = group.pointer_columns.data() + at.columns * hidden,
          .dynamic_weights = group.weights.data() + row * kPointerDynamicStride};
}

// Computes each instance's logits [P, N'] at offset columns * P, from the nodes that the decoder
// read.
void PointerPass::ScoreStep(int64_t trajectories, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t rows = group.count * trajectories;
  MultiplyAdd({group.context.data(), kPointerColumnPadding, rows}, weights_.context,
              {group.step_gates.data(), gate_stride_});
  for (int64_t l = 0; l < options_.layers; ++l) StepLayer(l, rows, rows * hidden, group);
  std::vector<ScoredRows> parts;
  parts.reserve(static_cast<size_t>(group.count));
  for (int64_t b = 0; b < group.count; ++b) {
    const PointerInstance& at = group.instances[b];
    parts.push_back({&at, b * trajectories, trajectories, group.views.data() + b * trajectories,
                     group.logits.data() + at.columns * trajectories});
  }
  const float* const top = group.step_hidden.data() + (options_.layers - 1) * rows * hidden;
  Score({top, hidden, rows, &group.decoder.work}, parts, group);
}

void PointerPass::Score(const Product& outputs, std::span<const ScoredRows> parts,
                        PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t width = weights_.heads_width();
  const int64_t rows = outputs.rows;
  Multiply(outputs, weights_.query, nullptr, group.queries.Grow(rows * width));
  group.glimpse.Grow(rows * width);
  for (const ScoredRows& part : parts) {
    GlimpseJob<float> job = Glimpse(*part.at, group, part.row, part.rows);
    job.views = part.views;
    job.weights = group.attention.Grow(kPointerHeads * part.rows * part.at->padded);
    kernels_.glimpse(job, group.glimpse.data() + part.row * width);
  }
  std::copy_n(outputs.a, rows * hidden, group.pointed.Grow(rows * hidden));
  MultiplyAdd({group.glimpse.data(), width, rows, outputs.work}, weights_.out,
              {group.pointed.data(), hidden});
  Multiply({group.pointed.data(), hidden, rows}, weights_.dynamic, weights_.dynamic_bias.data(),
           group.weights.Grow(rows * kPointerColumnPadding));
  for (const ScoredRows& part : parts) {
    PointerJob<float> job = Logits(*part.at, group, part.row, part.rows);
    job.views = part.views;
    job.logits = part.logits;
    kernels_.logits(job);
  }
}

}  // namespace vrp
