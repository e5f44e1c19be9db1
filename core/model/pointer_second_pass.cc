#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/model/pointer_layout.h"
#include "core/model/pointer_pass.h"

namespace vrp {

// Walks along the trajectories once more: ranks, what the decoder reads, what each step sees.
void PointerPass::ReplaySteps(const SecondPass& pass, PointerGroup& group) const {
  TrajectoryTable& table = *pass.table;
  const int32_t count = table.count();
  const int64_t rows = int64_t{group.count} * count;
  std::vector<int32_t>& ranks = group.ranks;
  ranks.resize(static_cast<size_t>(rows));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto length = [&](int32_t row) {
    return table.Result<float>(group.first + row / count).lengths[row % count];
  };
  std::stable_sort(ranks.begin(), ranks.end(),
                   [&](int32_t a, int32_t b) { return length(a) > length(b); });
  std::vector<int32_t>& first = group.decoder.first;
  first.assign(1, 0);
  for (int32_t t = 0; t < length(ranks[0]); ++t) {
    int32_t running = t == 0 ? static_cast<int32_t>(rows) : first[t] - first[t - 1];
    while (length(ranks[running - 1]) <= t) --running;
    first.push_back(first.back() + running);
  }
  group.places.resize(ranks.size() + 1);
  int64_t memory = 0;
  group.places[0] = 0;
  for (size_t r = 0; r < ranks.size(); ++r) {
    group.places[r + 1] = group.places[r] + length(ranks[r]);
    memory += length(ranks[r]) * group.instances[ranks[r] / count].padded * kPointerViewRows;
  }
  const int64_t steps = group.places.back();
  group.views.resize(static_cast<size_t>(steps));
  group.given.resize(static_cast<size_t>(steps));
  float* view_memory = group.view_memory.Grow(memory);
  float* const context = group.context.GrowZero(steps * kPointerNarrow);
  for (size_t r = 0; r < ranks.size(); ++r) {
    const PointerInstance& at = group.instances[ranks[r] / count];
    uint8_t* const visited = group.visited.data();
    RouteState state = BeginTrajectory(at.rules, visited);
    const int32_t* const choices =
        table.choices(group.first + ranks[r] / count) + (ranks[r] % count) * table.max_steps();
    for (int32_t t = 0; t < length(ranks[r]); ++t) {
      const int64_t place = group.places[r] + t;
      ShowStep(at, group.distances.data(), state, visited, view_memory, group.views[place]);
      view_memory += at.padded * kPointerViewRows;
      WritePointerContext(at.rules, state,
                          context + (first[t] + static_cast<int64_t>(r)) * kPointerNarrow);
      group.given[place] = choices[t];
      Take(at.rules, choices[t], state, visited);
    }
  }
}

void PointerPass::ForwardSteps(SecondPass& pass, PointerGroup& group) const {
  ReplaySteps(pass, group);
  const int64_t hidden = options_.hidden;
  const int64_t layers = options_.layers;
  const int32_t count = pass.table->count();
  const int32_t max_steps = pass.table->max_steps();
  PointerStack& stack = group.decoder;
  GrowStack(stack);
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    const int32_t b = group.ranks[r] / count;
    const float* const start = group.start.data() + b * 2 * layers * hidden;
    for (int64_t l = 0; l < layers; ++l) {
      const auto at = static_cast<int64_t>(r) * hidden;
      std::copy_n(start + l * hidden, hidden, stack.hiddens[l].data() + at);
      std::copy_n(start + (layers + l) * hidden, hidden, stack.cells[l].data() + at);
    }
    for (int64_t t = 0; t < group.places[r + 1] - group.places[r]; ++t) {
      const int64_t read = group.reads[int64_t{group.ranks[r]} * max_steps + t];
      std::copy_n(
          group.gate_inputs.data() + (group.instances[b].row + read) * gate_stride_, 4 * hidden,
          stack.gates[0].data() + (stack.first[t] + static_cast<int64_t>(r)) * gate_stride_);
    }
  }
  dense_.multiply_add({group.context.data(), kPointerNarrow}, weights_.context.forward.data(),
                      {.rows = stack.rows(), .inner = kPointerNarrow, .columns = 4 * hidden},
                      {stack.gates[0].data(), gate_stride_});
  const RolloutRequest& rollout = pass.request->rollout;
  ForwardStack(
      weights_.decoder,
      {.share = pass.request->dropout ? options_.dropout : 0,
       .seed = rollout.seed,
       .stream = rollout.stream,
       .first = static_cast<uint64_t>((rollout.first_instance + group.first) * int64_t{count}),
       .purpose = 1,
       .order = group.ranks.data()},
      stack);
  const float* const top = stack.hiddens.back().data() + stack.sequences() * hidden;
  float* to = group.outputs.Grow(stack.rows() * hidden);
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    for (int64_t t = 0; t < group.places[r + 1] - group.places[r]; ++t, to += hidden) {
      std::copy_n(top + (stack.first[t] + static_cast<int64_t>(r)) * hidden, hidden, to);
    }
  }
  AttendSteps(pass, group);
}

// Glimpse and pointer, forward and the pointer's way back.
void PointerPass::AttendSteps(SecondPass& pass, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t width = weights_.heads_width();
  const int64_t steps = group.decoder.rows();
  const int32_t count = pass.table->count();
  Multiply({group.outputs.data(), hidden, steps}, weights_.query, nullptr,
           group.queries.Grow(steps * width));
  int64_t largest = 0;
  int64_t attention = 0;
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    const int64_t length = group.places[r + 1] - group.places[r];
    const int64_t padded = group.instances[group.ranks[r] / count].padded;
    largest = std::max(largest, length * padded);
    attention += kPointerHeads * length * padded;
  }
  float* weights = group.attention.Grow(attention);
  group.seen.Grow(steps * width);
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    const PointerInstance& at = group.instances[group.ranks[r] / count];
    const int64_t place = group.places[r];
    GlimpseJob<float> job = Glimpse(at, group, place, group.places[r + 1] - place);
    job.weights = weights;
    kernels_.glimpse(job, group.seen.data() + place * width);
    weights += kPointerHeads * job.steps * at.padded;
  }
  std::copy_n(group.outputs.data(), steps * hidden, group.pointed.Grow(steps * hidden));
  dense_.multiply_add({group.seen.data(), width}, weights_.out.forward.data(),
                      {.rows = steps, .inner = width, .columns = hidden},
                      {group.pointed.data(), hidden});
  Multiply({group.pointed.data(), hidden, steps}, weights_.dynamic, weights_.dynamic_bias.data(),
           group.weights.Grow(steps * kPointerNarrow));
  group.logits.Grow(largest);
  group.likeliest.resize(static_cast<size_t>(steps));
  group.d_pointer_keys.GrowZero(group.encoder.rows() * hidden);
  for (Floats* buffer : {&group.terms, &group.likelihoods, &group.term_weights}) {
    buffer->Grow(steps);
  }
  group.d_pointed.Grow(steps * hidden);
  group.d_weights.Grow(steps * kPointerNarrow);
  const bool skips_first = pass.request->rollout.distinct_starts;
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    const PointerInstance& at = group.instances[group.ranks[r] / count];
    const int64_t place = group.places[r];
    PointerJob<float> job = Logits(at, group, place, group.places[r + 1] - place);
    job.logits = group.logits.data();
    kernels_.logits(job);
    const double weight = pass.weights[group.ranks[r]];
    float* const term_weights = group.term_weights.data() + place;
    std::fill_n(term_weights, job.steps, static_cast<float>(weight));
    if (skips_first) term_weights[0] = 0;
    kernels_.logits_back(
        job, {.choices = group.given.data() + place,
              .weights = term_weights,
              .smoothing = static_cast<float>(pass.request->label_smoothing),
              .keys = group.pointer_keys.data() + at.row * hidden,
              .terms = group.terms.data() + place,
              .likelihoods = group.likelihoods.data() + place,
              .likeliest = group.likeliest.data() + place,
              .d_queries = group.d_pointed.data() + place * hidden,
              .d_keys = group.d_pointer_keys.data() + at.row * hidden,
              .d_dynamic_weights = group.d_weights.data() + place * kPointerDynamicStride});
    double sum = 0;
    double likelihood = 0;
    int32_t agreements = 0;
    for (int64_t q = place + (skips_first ? 1 : 0); q < group.places[r + 1]; ++q) {
      sum += group.terms.data()[q];
      likelihood += group.likelihoods.data()[q];
      agreements += group.likeliest[q] == group.given[q] ? 1 : 0;
    }
    pass.loss += weight * sum;
    const int32_t instance = group.first + group.ranks[r] / count;
    const int32_t p = group.ranks[r] % count;
    const DecodeResult<float> result = pass.table->Result<float>(instance);
    if (pass.score) {
      result.log_likelihoods[p] = likelihood;
      result.agreements[p] = agreements;
    } else if (!pass.request->dropout) {
      pass.difference = std::max(pass.difference, pass.table->Difference(instance, p, likelihood));
    }
  }
}

void PointerPass::BackwardSteps(const SecondPass& pass, PointerGroup& group,
                                float* gradient) const {
  const int64_t hidden = options_.hidden;
  const int64_t width = weights_.heads_width();
  const int64_t steps = group.decoder.rows();
  const int64_t rows = group.encoder.rows();
  const int32_t count = pass.table->count();
  PointerSums& sums = group.sums;
  Back({group.d_weights.data(), kPointerNarrow, steps}, weights_.dynamic, group.d_pointed.data(),
       true);
  AddWeight({.rows = steps,
             .a = group.d_weights.data(),
             .a_stride = kPointerNarrow,
             .outputs = kPointerNarrow,
             .b = group.pointed.data(),
             .inputs = hidden,
             .weights = sums.dynamic.data(),
             .bias = sums.dynamic_bias.data()},
            group);
  Back({group.d_pointed.data(), hidden, steps}, weights_.out, group.d_seen.Grow(steps * width),
       false);
  AddWeight({.rows = steps,
             .a = group.d_pointed.data(),
             .a_stride = hidden,
             .outputs = hidden,
             .b = group.seen.data(),
             .inputs = width,
             .weights = sums.out.data()},
            group);
  group.d_queries.Grow(steps * width);
  group.d_keys.GrowZero(rows * width);
  group.d_values.GrowZero(rows * width);
  const float* weights = group.attention.data();
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    const PointerInstance& at = group.instances[group.ranks[r] / count];
    const int64_t place = group.places[r];
    GlimpseJob<float> job = Glimpse(at, group, place, group.places[r + 1] - place);
    job.weights = const_cast<float*>(weights);
    weights += kPointerHeads * job.steps * at.padded;
    float* const columns = group.value_columns.Grow(width * at.padded);
    kernels_.transpose(group.values.data() + at.row * width, at.nodes, width, at.padded, columns);
    kernels_.glimpse_back(job, {.keys = group.keys.data() + at.row * width,
                                .value_columns = columns,
                                .d_seen = group.d_seen.data() + place * width,
                                .d_queries = group.d_queries.data() + place * width,
                                .d_keys = group.d_keys.data() + at.row * width,
                                .d_values = group.d_values.data() + at.row * width,
                                .d_dynamic_weight = gradient + weights_.glimpse_dynamic_offset,
                                .scratch = group.logits.data()});
  }
  AddWeight({.rows = steps,
             .a = group.d_queries.data(),
             .a_stride = width,
             .outputs = width,
             .b = group.outputs.data(),
             .inputs = hidden,
             .weights = sums.query.data()},
            group);
  Back({group.d_queries.data(), width, steps}, weights_.query, group.d_pointed.data(), true);

  PointerStack& stack = group.decoder;
  const int64_t begin = stack.sequences() * hidden;
  float* const top = stack.d_hiddens.back().Grow(begin + steps * hidden);
  std::fill_n(top, begin, 0.0f);
  const float* from = group.d_pointed.data();
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    for (int64_t t = 0; t < group.places[r + 1] - group.places[r]; ++t, from += hidden) {
      std::copy_n(from, hidden, top + begin + (stack.first[t] + static_cast<int64_t>(r)) * hidden);
    }
  }
  BackwardStack(weights_.decoder, stack, group, gradient);
  AddWeight({.rows = steps,
             .a = stack.gates[0].data(),
             .a_stride = gate_stride_,
             .outputs = 4 * hidden,
             .b = group.context.data(),
             .inputs = kPointerNarrow,
             .weights = sums.context.data()},
            group);
  const int64_t layers = options_.layers;
  float* const d_gates = group.d_gate_inputs.GrowZero(rows * gate_stride_);
  float* const d_start = group.d_start.GrowZero(group.count * 2 * layers * hidden);
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    const int32_t b = group.ranks[r] / count;
    for (int64_t t = 0; t < group.places[r + 1] - group.places[r]; ++t) {
      const int64_t read = group.reads[int64_t{group.ranks[r]} * pass.table->max_steps() + t];
      float* const to = d_gates + (group.instances[b].row + read) * gate_stride_;
      const float* const gates =
          stack.gates[0].data() + (stack.first[t] + static_cast<int64_t>(r)) * gate_stride_;
      for (int64_t i = 0; i < 4 * hidden; ++i) to[i] += gates[i];
    }
    float* const start = d_start + b * 2 * layers * hidden;
    for (int64_t l = 0; l < layers; ++l) {
      const int64_t at = static_cast<int64_t>(r) * hidden;
      for (int64_t h = 0; h < hidden; ++h) {
        start[l * hidden + h] += stack.d_hiddens[l].data()[at + h];
        start[(layers + l) * hidden + h] += stack.d_cells[l].data()[at + h];
      }
    }
  }
}

// Everything before the decoder.
void PointerPass::BackwardNodes(PointerGroup& group, float* gradient) const {
  const int64_t hidden = options_.hidden;
  const int64_t width = weights_.heads_width();
  const int64_t rows = group.encoder.rows();
  const int64_t states = 2 * options_.layers * hidden;
  PointerSums& sums = group.sums;
  float* const d_start = group.d_start.data();
  for (int64_t b = 0; b < group.count; ++b) {
    for (int64_t i = b * states; i < b * states + states / 2; ++i) {
      const float hidden_state = group.start.data()[i];
      d_start[i] *= 1 - hidden_state * hidden_state;
    }
  }
  AddWeight({.rows = group.count,
             .a = d_start,
             .a_stride = states,
             .outputs = states,
             .b = group.mean.data(),
             .inputs = hidden,
             .weights = gradient + weights_.start_offset,
             .bias = gradient + weights_.start_bias_offset},
            group);
  Back({d_start, states, group.count}, weights_.start, group.d_mean.Grow(group.count * hidden),
       false);
  const float* const nodes = group.nodes.data();
  AddWeight({.rows = rows,
             .a = group.d_keys.data(),
             .a_stride = width,
             .outputs = width,
             .b = nodes,
             .inputs = hidden,
             .weights = sums.key.data()},
            group);
  AddWeight({.rows = rows,
             .a = group.d_values.data(),
             .a_stride = width,
             .outputs = width,
             .b = nodes,
             .inputs = hidden,
             .weights = sums.value.data()},
            group);
  AddWeight({.rows = rows,
             .a = group.d_pointer_keys.data(),
             .a_stride = hidden,
             .outputs = hidden,
             .b = nodes,
             .inputs = hidden,
             .weights = sums.pointer.data()},
            group);
  AddWeight({.rows = rows,
             .a = group.d_gate_inputs.data(),
             .a_stride = gate_stride_,
             .outputs = 4 * hidden,
             .b = nodes,
             .inputs = hidden,
             .weights = gradient + weights_.decoder[0].input_offset,
             .bias = gradient + weights_.decoder[0].bias_offset},
            group);
  float* const d_nodes = group.d_nodes.Grow(rows * hidden);
  Back({group.d_keys.data(), width, rows}, weights_.key, d_nodes, false);
  Back({group.d_values.data(), width, rows}, weights_.value, d_nodes, true);
  Back({group.d_pointer_keys.data(), hidden, rows}, weights_.pointer, d_nodes, true);
  Back({group.d_gate_inputs.data(), gate_stride_, rows}, weights_.decoder[0].input, d_nodes, true);

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
      float* const to = top + begin + (stack.first[n] + at.rank) * hidden;
      for (int64_t h = 0; h < hidden; ++h) to[h] = from[h] + mean[h] * share;
    }
  }
  // The nodes' embeddings get the same gradient, before the stack's adds to it.
  AddWeight({.rows = rows,
             .a = top + begin,
             .a_stride = hidden,
             .outputs = hidden,
             .b = group.features.data(),
             .inputs = kPointerNarrow,
             .weights = sums.embed.data()},
            group);
  BackwardStack(weights_.encoder, stack, group, gradient);
  AddWeight({.rows = rows,
             .a = stack.gates[0].data(),
             .a_stride = gate_stride_,
             .outputs = 4 * hidden,
             .b = group.features.data(),
             .inputs = kPointerNarrow,
             .weights = sums.encoder_input.data()},
            group);
}

}  // namespace vrp
