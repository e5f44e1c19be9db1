#include <algorithm>
#include <limits>
#include <numeric>

#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/pointer_network/pointer_pass.h"

namespace vrp {
namespace {

// Multiple to which an instance's number of nodes is padded.
constexpr int64_t kPadding = 16;

int64_t Padded(int64_t nodes) { return (nodes + kPadding - 1) / kPadding * kPadding; }

}  // namespace

void PointerPass::LayOutInstances(const NetworkBatch& batch, PointerGroup& group) const {
  group.instances.resize(static_cast<size_t>(group.count));
  int64_t distances = 0;
  int64_t columns = 0;
  int32_t longest = 0;
  for (int32_t b = 0; b < group.count; ++b) {
    const int32_t instance = group.first + b;
    PointerInstance& at = group.instances[b];
    at.rules = MakeStepRules(batch.problems[instance]);
    at.row = batch.first_rows[instance] - batch.first_rows[group.first];
    at.nodes = batch.nodes(instance);
    at.padded = Padded(at.nodes);
    at.distances = distances;
    at.columns = columns;
    distances += at.nodes * at.padded;
    columns += at.padded;
    longest = std::max(longest, static_cast<int32_t>(at.nodes));
  }
  float* to = group.distances.GrowZero(distances);
  for (const PointerInstance& at : group.instances) {
    const double scale = PointerScale(at.rules.problem);
    for (int32_t i = 0; i < at.nodes; ++i, to += at.padded) {
      for (int32_t j = 0; j < at.nodes; ++j) {
        to[j] = static_cast<float>(PointerDistance(at.rules.problem, scale, i, j));
      }
    }
  }
  OrderInstances(longest, group);
}

// Sorts instances into the encoder's order: the longest first.
void PointerPass::OrderInstances(int32_t longest, PointerGroup& group) const {
  std::vector<int32_t> order(static_cast<size_t>(group.count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return group.instances[a].nodes > group.instances[b].nodes;
  });
  for (int32_t r = 0; r < group.count; ++r) group.instances[order[r]].encoder_row = r;
  group.encoder.first.assign(1, 0);
  int32_t running = group.count;
  for (int32_t t = 0; t < longest; ++t) {
    while (running > 0 && group.instances[order[running - 1]].nodes <= t) --running;
    group.encoder.first.push_back(group.encoder.first.back() + running);
  }
  group.by_length = std::move(order);
}

// Fills the features [K, features()] in the encoder's order, with a 1 for the bias.
void PointerPass::FillFeatures(const NetworkBatch& batch, PointerGroup& group) const {
  const PointerStack& stack = group.encoder;
  const int64_t width = weights_.features();
  float* const features = group.features.GrowZero(stack.rows() * width);
  for (const PointerInstance& at : group.instances) {
    const float* from =
        batch.features.data() + (batch.first_rows[group.first] + at.row) * batch.columns;
    for (int64_t n = 0; n < at.nodes; ++n, from += batch.columns) {
      float* to = features + (stack.first[n] + at.encoder_row) * width;
      for (const int32_t column : weights_.inputs().columns) *to++ = from[column];
      *to = 1;
    }
  }
}

void PointerPass::RunEncoder(const DropoutSettings& settings, PointerGroup& group) const {
  PointerStack& stack = group.encoder;
  stack.from_zero = true;
  stack.done = 0;
  GrowStack(stack);
  MultiplyTo({group.features.data(), weights_.features(), stack.rows()}, weights_.encoder_input,
             weights_.encoder[0].bias.data(), {stack.gates[0].data(), gate_stride_});
  for (int32_t l = 0; l < options_.layers; ++l) {
    std::fill_n(stack.cells[l].data(), stack.sequences() * options_.hidden, 0.0f);
    std::fill_n(stack.hiddens[l].data(), stack.sequences() * options_.hidden, 0.0f);
  }
  ForwardStack(weights_.encoder,
               {.share = settings.dropout ? options_.dropout : 0,
                .seed = settings.seed,
                .stream = settings.stream,
                .first = settings.first_instance + group.first,
                .order = group.by_length.data()},
               stack);
}

// Writes the nodes' encodings, embedding plus encoder output, in the instances' order. Computes
// each instance's mean.
void PointerPass::GatherNodes(PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const PointerStack& stack = group.encoder;
  float* const embedded = group.gathered.Grow(stack.rows() * hidden);
  Multiply({group.features.data(), weights_.features(), stack.rows()}, weights_.embed, nullptr,
           embedded);
  const float* const seen = stack.hiddens.back().data() + stack.sequences() * hidden;
  float* to = group.nodes.Grow(stack.rows() * hidden);
  float* mean = group.mean.GrowZero(group.count * hidden);
  for (const PointerInstance& at : group.instances) {
    for (int64_t n = 0; n < at.nodes; ++n, to += hidden) {
      const int64_t from = (stack.first[n] + at.encoder_row) * hidden;
      for (int64_t h = 0; h < hidden; ++h) {
        to[h] = embedded[from + h] + seen[from + h];
        mean[h] += to[h];
      }
    }
    for (int64_t h = 0; h < hidden; ++h) mean[h] /= static_cast<float>(at.nodes);
    mean += hidden;
  }
}

void PointerPass::ProjectNodes(PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t width = weights_.heads_width();
  const int64_t rows = group.encoder.rows();
  const Product nodes{group.nodes.data(), hidden, rows, &group.encoder.work};
  Multiply(nodes, weights_.key, nullptr, group.keys.Grow(rows * width));
  Multiply(nodes, weights_.value, nullptr, group.values.Grow(rows * width));
  Multiply(nodes, weights_.pointer, nullptr, group.pointer_keys.Grow(rows * hidden));
  MultiplyTo(nodes, weights_.decoder[0].input, weights_.decoder[0].bias.data(),
             {group.gate_inputs.Grow(rows * gate_stride_), gate_stride_});
  const PointerInstance& last = group.instances.back();
  const int64_t columns = last.columns + last.padded;
  group.key_columns.Grow(columns * width);
  group.pointer_columns.Grow(columns * hidden);
  for (const PointerInstance& at : group.instances) {
    kernels_.transpose(group.keys.data() + at.row * width, at.nodes, width, at.padded,
                       group.key_columns.data() + at.columns * width);
    kernels_.transpose(group.pointer_keys.data() + at.row * hidden, at.nodes, hidden, at.padded,
                       group.pointer_columns.data() + at.columns * hidden);
  }
  const int64_t states = int64_t{2} * options_.layers * hidden;
  float* const start = group.start.Grow(group.count * states);
  Multiply({group.mean.data(), hidden, group.count}, weights_.start, weights_.start_bias.data(),
           start);
  for (int32_t b = 0; b < group.count; ++b) kernels_.tanh(start + b * states, states / 2);
}

void PointerPass::Encode(const NetworkBatch& batch, int32_t first, int32_t count,
                         const DropoutSettings& settings, PointerGroup& group) const {
  group.first = first;
  group.count = count;
  LayOutInstances(batch, group);
  FillFeatures(batch, group);
  RunEncoder(settings, group);
  GatherNodes(group);
  ProjectNodes(group);
}

bool ObserveStep(const PointerInstance& at, const float* distances, const RouteState& state,
                 const uint8_t* visited, float* memory, StepView<float>& view) {
  const RoutingProblem& problem = at.rules.problem;
  float* const mask = memory;
  float* const seen = memory + at.padded;
  float* const wait = memory + 2 * at.padded;
  float* const slack = memory + 3 * at.padded;
  const int32_t allowed = WriteMask(at.rules, state, visited, mask);
  std::fill(mask + at.nodes, mask + at.padded, -std::numeric_limits<float>::infinity());
  std::fill_n(seen, 3 * at.padded, 0.0f);
  for (int32_t n = 0; n < at.nodes; ++n) seen[n] = PointerVisited<float>(problem, visited, n);
  if (problem.window_opens != nullptr && problem.horizon > 0) {
    for (int32_t n = 0; n < at.nodes; ++n) {
      const PointerTimes times = PointerTimesAt(at.rules, state, n);
      wait[n] = static_cast<float>(times.wait);
      slack[n] = static_cast<float>(times.slack);
    }
  }
  view = {mask,
          {seen, distances + at.distances + state.current * at.padded, distances + at.distances,
           wait, slack}};
  return allowed > 0;
}

}  // namespace vrp
