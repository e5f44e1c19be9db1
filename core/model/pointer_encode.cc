#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/random.h"
#include "core/model/pointer_layout.h"
#include "core/model/pointer_pass.h"

namespace vrp {
namespace {

constexpr int64_t kPadding = 16;

int64_t Padded(int64_t nodes) { return (nodes + kPadding - 1) / kPadding * kPadding; }

}  // namespace

PointerPass::PointerPass(const PointerNetworkOptions& options, Isa isa)
    : options_(options),
      gate_stride_(GateStride<float>(options.hidden)),
      dense_(DenseKernelsFor<float>(isa)),
      lstm_(LstmKernelsFor<float>(isa)),
      kernels_(PointerKernelsFor<float>(isa)),
      weights_(options, isa) {}

void PointerPass::Multiply(const Product& a, const PointerLinear& weight, const float* bias,
                           float* to) const {
  MultiplyTo(a, weight, bias, {to, weight.outputs});
}

void PointerPass::MultiplyTo(const Product& a, const PointerLinear& weight, const float* bias,
                             Rows<float> to) const {
  lstm_.multiply({.rows = a.rows,
                  .inner = weight.inputs,
                  .columns = weight.outputs,
                  .a = a.a,
                  .a_stride = a.stride,
                  .packed = weight.forward.data(),
                  .bias = bias,
                  .to = to.data,
                  .to_stride = to.stride});
}

void PointerPass::Back(const Product& a, const PointerLinear& weight, float* to, bool add) const {
  lstm_.multiply({.rows = a.rows,
                  .inner = weight.outputs,
                  .columns = weight.inputs,
                  .a = a.a,
                  .a_stride = a.stride,
                  .packed = weight.back.data(),
                  .add = add,
                  .to = to,
                  .to_stride = weight.inputs});
}

void PointerPass::AddWeight(WeightGradient job, PointerGroup& group) const {
  job.scratch = group.scratch.Grow(lstm_.weight_scratch(job.inputs));
  lstm_.add_weight_gradient(job);
}

void PointerPass::GrowStack(PointerStack& stack) const {
  const auto layers = static_cast<size_t>(options_.layers);
  const int64_t hidden = options_.hidden;
  const int64_t states = (stack.sequences() + stack.rows()) * hidden;
  for (auto* buffers : {&stack.gates, &stack.cells, &stack.hiddens, &stack.inputs, &stack.kept,
                        &stack.d_hiddens, &stack.d_cells}) {
    buffers->resize(layers);
  }
  for (size_t l = 0; l < layers; ++l) {
    stack.gates[l].Grow(stack.rows() * gate_stride_);
    stack.cells[l].Grow(states);
    stack.hiddens[l].Grow(states);
  }
}

// Eight units a block of random words: a unit stays when its 16 bits lie above the share.
void PointerPass::Drop(const PointerDropout& dropout, int64_t layer, PointerStack& stack) const {
  const auto l = static_cast<size_t>(layer);
  const int64_t hidden = options_.hidden;
  const auto limit = static_cast<uint32_t>(std::lround(dropout.share * 65536));
  const float factor = 65536.0f / static_cast<float>(65536 - limit);
  const PhiloxKey key = {
      {static_cast<uint32_t>(dropout.seed), static_cast<uint32_t>(dropout.seed >> 32)}};
  float* kept = stack.kept[l].Grow(stack.rows() * hidden);
  for (size_t t = 0; t + 1 < stack.first.size(); ++t) {
    for (int32_t r = 0; r < stack.first[t + 1] - stack.first[t]; ++r) {
      const auto number = static_cast<uint32_t>(dropout.first + dropout.order[r]);
      for (int64_t block = 0; block < hidden / 8; ++block) {
        const auto place = static_cast<uint32_t>(block) | static_cast<uint32_t>(layer) << 8 |
                           dropout.purpose << 11 | static_cast<uint32_t>(t) << 12;
        const PhiloxCounter words =
            PhiloxBlock(key, {{place, number, static_cast<uint32_t>(dropout.stream),
                               static_cast<uint32_t>(dropout.stream >> 32)}});
        for (const uint32_t word : words.lane) {
          *kept++ = (word & 0xffff) >= limit ? factor : 0.0f;
          *kept++ = word >> 16 >= limit ? factor : 0.0f;
        }
      }
    }
  }
}

void PointerPass::ForwardStack(const std::vector<PointerLayer>& layers,
                               const PointerDropout& dropout, PointerStack& stack) const {
  const int64_t hidden = options_.hidden;
  const int64_t rows = stack.rows();
  stack.dropped = dropout.share > 0;
  for (size_t l = 0; l < layers.size(); ++l) {
    if (l > 0) {
      const float* input = stack.hiddens[l - 1].data() + stack.sequences() * hidden;
      if (stack.dropped) {
        Drop(dropout, static_cast<int64_t>(l), stack);
        float* const to = stack.inputs[l].Grow(rows * hidden);
        const float* const kept = stack.kept[l].data();
        for (int64_t i = 0; i < rows * hidden; ++i) to[i] = input[i] * kept[i];
        input = to;
      }
      MultiplyTo({input, hidden, rows}, layers[l].input, layers[l].bias.data(),
                 {stack.gates[l].data(), gate_stride_});
    }
    LstmForward<float>(lstm_, layers[l].recurrent.forward.data(),
                       {.first = stack.first,
                        .hidden_size = hidden,
                        .from_zero = stack.from_zero,
                        .gates = stack.gates[l].data(),
                        .cells = stack.cells[l].data(),
                        .hiddens = stack.hiddens[l].data()});
  }
}

void PointerPass::BackwardStack(const std::vector<PointerLayer>& layers, PointerStack& stack,
                                PointerGroup& group, float* gradient) const {
  const int64_t hidden = options_.hidden;
  const int64_t rows = stack.rows();
  const int64_t begin = stack.sequences() * hidden;
  for (size_t l = layers.size(); l-- > 0;) {
    const PointerLayer& layer = layers[l];
    const LstmRun<float> run{.first = stack.first,
                             .hidden_size = hidden,
                             .from_zero = stack.from_zero,
                             .gates = stack.gates[l].data(),
                             .cells = stack.cells[l].data(),
                             .hiddens = stack.hiddens[l].data()};
    LstmBackward<float>(lstm_, layer.recurrent.back.data(), run, stack.d_hiddens[l].data(),
                        stack.d_cells[l].Grow(begin));
    const float* before = run.hiddens;
    if (!stack.even()) {
      GatherBefore<float>(run, group.before.Grow(rows * hidden));
      before = group.before.data();
    }
    const int64_t skipped = stack.from_zero ? stack.sequences() : 0;
    AddWeight({.rows = rows - skipped,
               .a = run.gates + skipped * gate_stride_,
               .a_stride = gate_stride_,
               .outputs = 4 * hidden,
               .b = before + skipped * hidden,
               .inputs = hidden,
               .weights = gradient + layer.recurrent_offset},
              group);
    if (l == 0) return;
    const float* const input =
        stack.dropped ? stack.inputs[l].data() : stack.hiddens[l - 1].data() + begin;
    AddWeight({.rows = rows,
               .a = run.gates,
               .a_stride = gate_stride_,
               .outputs = 4 * hidden,
               .b = input,
               .inputs = hidden,
               .weights = gradient + layer.input_offset,
               .bias = gradient + layer.bias_offset},
              group);
    float* const below = stack.d_hiddens[l - 1].Grow(begin + rows * hidden);
    std::fill_n(below, begin, 0.0f);
    Back({run.gates, gate_stride_, rows}, layer.input, below + begin, false);
    if (!stack.dropped) continue;
    const float* const kept = stack.kept[l].data();
    for (int64_t i = 0; i < rows * hidden; ++i) below[begin + i] *= kept[i];
  }
}

void PointerPass::PlaceInstances(const NetworkBatch& batch, PointerGroup& group) const {
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
  std::vector<int32_t> order(static_cast<size_t>(group.count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return group.instances[a].nodes > group.instances[b].nodes;
  });
  for (int32_t r = 0; r < group.count; ++r) group.instances[order[r]].rank = r;
  group.encoder.first.assign(1, 0);
  int32_t running = group.count;
  for (int32_t t = 0; t < longest; ++t) {
    while (running > 0 && group.instances[order[running - 1]].nodes <= t) --running;
    group.encoder.first.push_back(group.encoder.first.back() + running);
  }
  group.ranks = std::move(order);
}

void PointerPass::EncodeNodes(const NetworkBatch& batch, const Noise& noise,
                              PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  PointerStack& stack = group.encoder;
  stack.from_zero = true;
  const int64_t rows = stack.rows();
  const auto columns = PointerInputColumns();
  float* const features = group.features.GrowZero(rows * kPointerNarrow);
  for (const PointerInstance& at : group.instances) {
    const float* from =
        batch.features.data() + (batch.first_rows[group.first] + at.row) * kNodeFeatures;
    for (int64_t n = 0; n < at.nodes; ++n, from += kNodeFeatures) {
      float* const to = features + (stack.first[n] + at.rank) * kPointerNarrow;
      for (int32_t f = 0; f < kPointerInputs; ++f) to[f] = from[columns[f]];
      to[kPointerInputs] = 1;
    }
  }
  GrowStack(stack);
  MultiplyTo({features, kPointerNarrow, rows}, weights_.encoder_input,
             weights_.encoder[0].bias.data(), {stack.gates[0].data(), gate_stride_});
  for (int32_t l = 0; l < options_.layers; ++l) {
    std::fill_n(stack.cells[l].data(), stack.sequences() * hidden, 0.0f);
    std::fill_n(stack.hiddens[l].data(), stack.sequences() * hidden, 0.0f);
  }
  ForwardStack(weights_.encoder,
               {.share = noise.dropout ? options_.dropout : 0,
                .seed = noise.seed,
                .stream = noise.stream,
                .first = static_cast<uint64_t>(noise.first_instance + group.first),
                .purpose = 0,
                .order = group.ranks.data()},
               stack);
  float* const embedded = group.before.Grow(rows * hidden);
  Multiply({features, kPointerNarrow, rows}, weights_.embed, nullptr, embedded);
  const float* const seen = stack.hiddens.back().data() + stack.sequences() * hidden;
  float* to = group.nodes.Grow(rows * hidden);
  float* mean = group.mean.GrowZero(group.count * hidden);
  for (const PointerInstance& at : group.instances) {
    for (int64_t n = 0; n < at.nodes; ++n, to += hidden) {
      const int64_t from = (stack.first[n] + at.rank) * hidden;
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
  const Product nodes{group.nodes.data(), hidden, rows};
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
  const int64_t states = 2 * options_.layers * hidden;
  float* const start = group.start.Grow(group.count * states);
  Multiply({group.mean.data(), hidden, group.count}, weights_.start, weights_.start_bias.data(),
           start);
  for (int32_t b = 0; b < group.count; ++b) kernels_.tanh(start + b * states, states / 2);
}

void PointerPass::Encode(const NetworkBatch& batch, int32_t first, int32_t count,
                         const Noise& noise, PointerGroup& group) const {
  group.first = first;
  group.count = count;
  PlaceInstances(batch, group);
  EncodeNodes(batch, noise, group);
  ProjectNodes(group);
}

bool ShowStep(const PointerInstance& at, const float* distances, const RouteState& state,
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
