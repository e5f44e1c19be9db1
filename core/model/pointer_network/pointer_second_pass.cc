#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/model/pointer_network/pointer_layout.h"
#include "core/model/pointer_network/pointer_pass.h"

namespace vrp {

// Replays the trajectories: computes their ranks, the rows of each step, and each step's features.
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
  PlaceSteps(pass, group);
}

// Computes the offsets of the ranked trajectories' steps, and each step's features.
void PointerPass::PlaceSteps(const SecondPass& pass, PointerGroup& group) const {
  TrajectoryTable& table = *pass.table;
  const int32_t count = table.count();
  const std::vector<int32_t>& ranks = group.ranks;
  const std::vector<int32_t>& first = group.decoder.first;
  const auto length = [&](int32_t row) {
    return table.Result<float>(group.first + row / count).lengths[row % count];
  };
  group.step_offsets.resize(ranks.size() + 1);
  int64_t memory = 0;
  group.step_offsets[0] = 0;
  for (size_t r = 0; r < ranks.size(); ++r) {
    group.step_offsets[r + 1] = group.step_offsets[r] + length(ranks[r]);
    memory += length(ranks[r]) * group.instances[ranks[r] / count].padded * kPointerViewRows;
  }
  const int64_t steps = group.step_offsets.back();
  group.views.resize(static_cast<size_t>(steps));
  group.given.resize(static_cast<size_t>(steps));
  float* view_memory = group.view_memory.Grow(memory);
  float* const context = group.context.GrowZero(steps * kPointerNarrow);
  for (size_t r = 0; r < ranks.size(); ++r) {
    const PointerInstance& at = group.instances[ranks[r] / count];
    uint8_t* const visited = group.visited.data();
    RouteState state = BeginTrajectory(at.rules, visited);
    const int32_t* const choices = table.choices(group.first + ranks[r] / count) +
                                   int64_t{ranks[r] % count} * table.max_steps();
    for (int32_t t = 0; t < length(ranks[r]); ++t) {
      const int64_t position = group.step_offsets[r] + t;
      ObserveStep(at, group.distances.data(), state, visited, view_memory, group.views[position]);
      view_memory += at.padded * kPointerViewRows;
      WritePointerContext(at.rules, state,
                          context + (first[t] + static_cast<int64_t>(r)) * kPointerNarrow);
      group.given[position] = choices[t];
      Take(at.rules, choices[t], state, visited);
    }
  }
}

// Copies the decoder's first states to the ranked trajectories.
void PointerPass::PlaceStates(const SecondPass& pass, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t layers = options_.layers;
  PointerStack& stack = group.decoder;
  GrowStack(stack);
  stack.done = 0;
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    const int32_t b = group.ranks[r] / pass.table->count();
    const float* const start = group.start.data() + int64_t{b} * 2 * layers * hidden;
    for (int64_t l = 0; l < layers; ++l) {
      const auto at = static_cast<int64_t>(r) * hidden;
      std::copy_n(start + l * hidden, hidden, stack.hiddens[l].data() + at);
      std::copy_n(start + (layers + l) * hidden, hidden, stack.cells[l].data() + at);
    }
  }
}

// Gathers the inputs of the decoder's first layer for steps begin .. end - 1.
void PointerPass::PlaceStepInputs(const TrajectoryTable& table, int64_t begin, int64_t end,
                                  PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const std::vector<int32_t>& first = group.decoder.first;
  float* const gates = group.decoder.gates[0].data() + first[begin] * gate_stride_;
  float* to = gates;
  for (int64_t t = begin; t < end; ++t) {
    for (int32_t r = 0; r < first[t + 1] - first[t]; ++r, to += gate_stride_) {
      const int32_t row = group.ranks[r];
      const int64_t read = group.reads[int64_t{row} * table.max_steps() + t];
      const int64_t node = group.instances[row / table.count()].row + read;
      std::copy_n(group.gate_inputs.data() + node * gate_stride_, 4 * hidden, to);
    }
  }
  MultiplyAdd({group.context.data() + first[begin] * kPointerNarrow, kPointerNarrow,
               first[end] - first[begin]},
              weights_.context, {gates, gate_stride_});
}

void PointerPass::ForwardSteps(SecondPass& pass, PointerGroup& group) const {
  ReplaySteps(pass, group);
  PlaceStates(pass, group);
  if (pass.score && pass.request->rollout.teacher_forcing < 1) {
    ReadOwnChoices(pass, group);
  } else {
    PlaceStepInputs(*pass.table, 0, std::ssize(group.decoder.first) - 1, group);
  }
  const int64_t hidden = options_.hidden;
  const int32_t count = pass.table->count();
  PointerStack& stack = group.decoder;
  const RolloutRequest& rollout = pass.request->rollout;
  ForwardStack(weights_.decoder,
               {.share = pass.request->dropout ? options_.dropout : 0,
                .seed = rollout.seed,
                .stream = rollout.stream,
                .first = (rollout.first_instance + group.first) * count,
                .decoder = true,
                .order = group.ranks.data()},
               stack);
  const float* const top = stack.hiddens.back().data() + stack.sequences() * hidden;
  float* to = group.outputs.Grow(stack.rows() * hidden);
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    for (int64_t t = 0; t < group.step_offsets[r + 1] - group.step_offsets[r]; ++t, to += hidden) {
      std::copy_n(top + (stack.first[t] + static_cast<int64_t>(r)) * hidden, hidden, to);
    }
  }
  GlimpseSteps(pass, group);
  PointSteps(pass, group);
}

// Computes the pointer's queries from the decoder's outputs.
void PointerPass::GlimpseSteps(const SecondPass& pass, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t width = weights_.heads_width();
  const int64_t steps = group.decoder.rows();
  const int32_t count = pass.table->count();
  Floats* const work = &group.decoder.work;
  Multiply({group.outputs.data(), hidden, steps, work}, weights_.query, nullptr,
           group.queries.Grow(steps * width));
  int64_t attention = 0;
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    attention += (group.step_offsets[r + 1] - group.step_offsets[r]) *
                 group.instances[group.ranks[r] / count].padded * kPointerHeads;
  }
  float* weights = group.attention.Grow(attention);
  group.seen.Grow(steps * width);
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    const PointerInstance& at = group.instances[group.ranks[r] / count];
    const int64_t position = group.step_offsets[r];
    GlimpseJob<float> job = Glimpse(at, group, position, group.step_offsets[r + 1] - position);
    job.weights = weights;
    kernels_.glimpse(job, group.seen.data() + position * width);
    weights += kPointerHeads * job.steps * at.padded;
  }
  std::copy_n(group.outputs.data(), steps * hidden, group.pointed.Grow(steps * hidden));
  MultiplyAdd({group.seen.data(), width, steps, work}, weights_.out,
              {group.pointed.data(), hidden});
  Multiply({group.pointed.data(), hidden, steps}, weights_.dynamic, weights_.dynamic_bias.data(),
           group.weights.Grow(steps * kPointerNarrow));
}

// Computes the pointer's logits, the loss, and the gradients of queries, keys and dynamic weights.
void PointerPass::PointSteps(SecondPass& pass, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t steps = group.decoder.rows();
  const int32_t count = pass.table->count();
  int64_t largest = 0;
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    const int64_t length = group.step_offsets[r + 1] - group.step_offsets[r];
    largest = std::max(largest, length * group.instances[group.ranks[r] / count].padded);
  }
  group.logits.Grow(largest);
  group.likeliest.resize(static_cast<size_t>(steps));
  group.d_pointer_keys.GrowZero(group.encoder.rows() * hidden);
  for (Floats* buffer : {&group.terms, &group.likelihoods, &group.term_weights}) {
    buffer->Grow(steps);
  }
  group.d_pointed.Grow(steps * hidden);
  group.d_weights.Grow(steps * kPointerNarrow);
  for (size_t r = 0; r < group.ranks.size(); ++r) {
    PointTrajectory(pass, r, group);
    Summarise(pass, r, group);
  }
}

void PointerPass::PointTrajectory(const SecondPass& pass, size_t r, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const PointerInstance& at = group.instances[group.ranks[r] / pass.table->count()];
  const int64_t position = group.step_offsets[r];
  PointerJob<float> job = Logits(at, group, position, group.step_offsets[r + 1] - position);
  job.logits = group.logits.data();
  kernels_.logits(job);
  float* const term_weights = group.term_weights.data() + position;
  std::fill_n(term_weights, job.steps, static_cast<float>(pass.weights[group.ranks[r]]));
  if (pass.request->rollout.distinct_starts) term_weights[0] = 0;
  kernels_.logits_back(
      job, {.choices = group.given.data() + position,
            .weights = term_weights,
            .smoothing = static_cast<float>(pass.request->label_smoothing),
            .keys = group.pointer_keys.data() + at.row * hidden,
            .terms = group.terms.data() + position,
            .likelihoods = group.likelihoods.data() + position,
            .likeliest = group.likeliest.data() + position,
            .d_queries = group.d_pointed.data() + position * hidden,
            .d_keys = group.d_pointer_keys.data() + at.row * hidden,
            .d_dynamic_weights = group.d_weights.data() + position * kPointerDynamicStride});
}

void PointerPass::Summarise(SecondPass& pass, size_t r, const PointerGroup& group) const {
  const int32_t count = pass.table->count();
  double sum = 0;
  double likelihood = 0;
  int32_t agreements = 0;
  const int64_t skipped = pass.request->rollout.distinct_starts ? 1 : 0;
  for (int64_t q = group.step_offsets[r] + skipped; q < group.step_offsets[r + 1]; ++q) {
    sum += group.terms.data()[q];
    likelihood += group.likelihoods.data()[q];
    agreements += group.likeliest[q] == group.given[q] ? 1 : 0;
  }
  pass.loss += pass.weights[group.ranks[r]] * sum;
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

}  // namespace vrp
