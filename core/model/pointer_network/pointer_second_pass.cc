#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/pointer_network/pointer_pass.h"

namespace vrp {

// Replays the trajectories: sorts them by length, and computes the rows and features of each step.
void PointerPass::ReplaySteps(const SecondPass& pass, PointerGroup& group) const {
  TrajectoryTable& table = *pass.table;
  const int32_t count = table.count();
  const int64_t rows = int64_t{group.count} * count;
  std::vector<int32_t>& by_length = group.by_length;
  by_length.resize(static_cast<size_t>(rows));
  std::iota(by_length.begin(), by_length.end(), 0);
  const auto length = [&](int32_t row) {
    return table.Result<float>(group.first + row / count).lengths[row % count];
  };
  std::stable_sort(by_length.begin(), by_length.end(),
                   [&](int32_t a, int32_t b) { return length(a) > length(b); });
  std::vector<int32_t>& first = group.decoder.first;
  first.assign(1, 0);
  for (int32_t t = 0; t < length(by_length[0]); ++t) {
    int32_t running = t == 0 ? static_cast<int32_t>(rows) : first[t] - first[t - 1];
    while (length(by_length[running - 1]) <= t) --running;
    first.push_back(first.back() + running);
  }
  LayOutSteps(pass, group);
}

// Computes the offsets of the sorted trajectories' steps, and each step's features.
void PointerPass::LayOutSteps(const SecondPass& pass, PointerGroup& group) const {
  TrajectoryTable& table = *pass.table;
  const int32_t count = table.count();
  const std::vector<int32_t>& by_length = group.by_length;
  const std::vector<int32_t>& first = group.decoder.first;
  const auto length = [&](int32_t row) {
    return table.Result<float>(group.first + row / count).lengths[row % count];
  };
  group.step_offsets.resize(by_length.size() + 1);
  int64_t memory = 0;
  group.step_offsets[0] = 0;
  for (size_t r = 0; r < by_length.size(); ++r) {
    group.step_offsets[r + 1] = group.step_offsets[r] + length(by_length[r]);
    memory +=
        length(by_length[r]) * group.instances[by_length[r] / count].padded * kPointerViewRows;
  }
  const int64_t steps = group.step_offsets.back();
  group.views.resize(static_cast<size_t>(steps));
  group.choices.resize(static_cast<size_t>(steps));
  float* view_memory = group.view_memory.Grow(memory);
  float* const context = group.context.GrowZero(steps * kPointerColumnPadding);
  for (size_t r = 0; r < by_length.size(); ++r) {
    const PointerInstance& at = group.instances[by_length[r] / count];
    uint8_t* const visited = group.visited.data();
    RouteState state = BeginTrajectory(at.rules, visited);
    const int32_t* const choices = table.choices(group.first + by_length[r] / count) +
                                   int64_t{by_length[r] % count} * table.max_steps();
    for (int32_t t = 0; t < length(by_length[r]); ++t) {
      const int64_t position = group.step_offsets[r] + t;
      ObserveStep(at, group.distances.data(), state, visited, view_memory, group.views[position]);
      view_memory += at.padded * kPointerViewRows;
      WritePointerContext(at.rules, state,
                          context + (first[t] + static_cast<int64_t>(r)) * kPointerColumnPadding);
      group.choices[position] = choices[t];
      Take(at.rules, choices[t], state, visited);
    }
  }
}

// Copies the decoder's first states to the sorted trajectories.
void PointerPass::CopyFirstStates(const SecondPass& pass, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t layers = options_.layers;
  PointerStack& stack = group.decoder;
  GrowStack(stack);
  stack.done = 0;
  for (size_t r = 0; r < group.by_length.size(); ++r) {
    const int32_t b = group.by_length[r] / pass.table->count();
    const float* const start = group.start.data() + int64_t{b} * 2 * layers * hidden;
    for (int64_t l = 0; l < layers; ++l) {
      const auto at = static_cast<int64_t>(r) * hidden;
      std::copy_n(start + l * hidden, hidden, stack.hiddens[l].data() + at);
      std::copy_n(start + (layers + l) * hidden, hidden, stack.cells[l].data() + at);
    }
  }
}

// Gathers the inputs of the decoder's first layer for steps begin .. end - 1.
void PointerPass::GatherStepInputs(const TrajectoryTable& table, int64_t begin, int64_t end,
                                   PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const std::vector<int32_t>& first = group.decoder.first;
  float* const gates = group.decoder.gates[0].data() + first[begin] * gate_stride_;
  float* to = gates;
  for (int64_t t = begin; t < end; ++t) {
    for (int32_t r = 0; r < first[t + 1] - first[t]; ++r, to += gate_stride_) {
      const int32_t row = group.by_length[r];
      const int64_t read = group.reads[int64_t{row} * table.max_steps() + t];
      const int64_t node = group.instances[row / table.count()].row + read;
      std::copy_n(group.gate_inputs.data() + node * gate_stride_, 4 * hidden, to);
    }
  }
  MultiplyAdd({group.context.data() + first[begin] * kPointerColumnPadding, kPointerColumnPadding,
               first[end] - first[begin]},
              weights_.context, {gates, gate_stride_});
}

void PointerPass::ForwardSteps(SecondPass& pass, PointerGroup& group) const {
  ReplaySteps(pass, group);
  CopyFirstStates(pass, group);
  if (pass.score && pass.request->rollout.teacher_forcing < 1) {
    ReadOwnChoices(pass, group);
  } else {
    GatherStepInputs(*pass.table, 0, std::ssize(group.decoder.first) - 1, group);
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
                .order = group.by_length.data()},
               stack);
  const float* const top = stack.hiddens.back().data() + stack.sequences() * hidden;
  float* to = group.outputs.Grow(stack.rows() * hidden);
  for (size_t r = 0; r < group.by_length.size(); ++r) {
    for (int64_t t = 0; t < group.step_offsets[r + 1] - group.step_offsets[r]; ++t, to += hidden) {
      std::copy_n(top + (stack.first[t] + static_cast<int64_t>(r)) * hidden, hidden, to);
    }
  }
  GlimpseSteps(pass, group);
  ScoreSteps(pass, group);
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
  for (size_t r = 0; r < group.by_length.size(); ++r) {
    attention += (group.step_offsets[r + 1] - group.step_offsets[r]) *
                 group.instances[group.by_length[r] / count].padded * kPointerHeads;
  }
  float* weights = group.attention.Grow(attention);
  group.glimpse.Grow(steps * width);
  for (size_t r = 0; r < group.by_length.size(); ++r) {
    const PointerInstance& at = group.instances[group.by_length[r] / count];
    const int64_t position = group.step_offsets[r];
    GlimpseJob<float> job = Glimpse(at, group, position, group.step_offsets[r + 1] - position);
    job.weights = weights;
    kernels_.glimpse(job, group.glimpse.data() + position * width);
    weights += kPointerHeads * job.steps * at.padded;
  }
  std::copy_n(group.outputs.data(), steps * hidden, group.pointed.Grow(steps * hidden));
  MultiplyAdd({group.glimpse.data(), width, steps, work}, weights_.out,
              {group.pointed.data(), hidden});
  Multiply({group.pointed.data(), hidden, steps}, weights_.dynamic, weights_.dynamic_bias.data(),
           group.weights.Grow(steps * kPointerColumnPadding));
}

// Computes the pointer's logits, the loss, and the gradients of queries, keys and dynamic weights.
void PointerPass::ScoreSteps(SecondPass& pass, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t steps = group.decoder.rows();
  const int32_t count = pass.table->count();
  int64_t largest = 0;
  for (size_t r = 0; r < group.by_length.size(); ++r) {
    const int64_t length = group.step_offsets[r + 1] - group.step_offsets[r];
    largest = std::max(largest, length * group.instances[group.by_length[r] / count].padded);
  }
  group.logits.Grow(largest);
  group.likeliest.resize(static_cast<size_t>(steps));
  group.d_pointer_keys.GrowZero(group.encoder.rows() * hidden);
  for (Floats* buffer : {&group.terms, &group.likelihoods, &group.term_weights}) {
    buffer->Grow(steps);
  }
  group.d_pointed.Grow(steps * hidden);
  group.d_weights.Grow(steps * kPointerColumnPadding);
  for (size_t r = 0; r < group.by_length.size(); ++r) {
    ScoreTrajectory(pass, r, group);
    AddTrajectoryResults(pass, r, group);
  }
}

void PointerPass::ScoreTrajectory(const SecondPass& pass, size_t r, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const PointerInstance& at = group.instances[group.by_length[r] / pass.table->count()];
  const int64_t position = group.step_offsets[r];
  PointerJob<float> job = Logits(at, group, position, group.step_offsets[r + 1] - position);
  job.logits = group.logits.data();
  kernels_.logits(job);
  float* const term_weights = group.term_weights.data() + position;
  std::fill_n(term_weights, job.steps, static_cast<float>(pass.weights[group.by_length[r]]));
  if (pass.request->rollout.distinct_starts) term_weights[0] = 0;
  kernels_.logits_back(
      job, {.choices = group.choices.data() + position,
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

void PointerPass::AddTrajectoryResults(SecondPass& pass, size_t r,
                                       const PointerGroup& group) const {
  const int32_t count = pass.table->count();
  double sum = 0;
  double likelihood = 0;
  int32_t agreements = 0;
  const int64_t skipped = pass.request->rollout.distinct_starts ? 1 : 0;
  for (int64_t q = group.step_offsets[r] + skipped; q < group.step_offsets[r + 1]; ++q) {
    sum += group.terms.data()[q];
    likelihood += group.likelihoods.data()[q];
    agreements += group.likeliest[q] == group.choices[q] ? 1 : 0;
  }
  pass.loss += pass.weights[group.by_length[r]] * sum;
  const int32_t instance = group.first + group.by_length[r] / count;
  const int32_t p = group.by_length[r] % count;
  const DecodeResult<float> result = pass.table->Result<float>(instance);
  if (pass.score) {
    result.log_likelihoods[p] = likelihood;
    result.agreements[p] = agreements;
  } else if (!pass.request->dropout) {
    pass.difference = std::max(pass.difference, pass.table->Difference(instance, p, likelihood));
  }
}

}  // namespace vrp
