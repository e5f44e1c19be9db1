#include "core/model/rollout.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "core/base/random.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/step_buffers.h"

namespace vrp {
namespace {

// One batch on its way.
class Runner {
 public:
  Runner(const PointerNetwork& network, const EncodedNodes& encoded,
         std::span<const NetworkInput> inputs, const RolloutOptions& options)
      : network_(network),
        encoded_(encoded),
        inputs_(inputs),
        options_(options),
        nodes_(encoded.nodes.size(1)),
        buffers_(static_cast<int64_t>(inputs.size()), options.trajectories, nodes_) {
    for (const NetworkInput& input : inputs) {
      result_.states.insert(result_.states.end(), static_cast<size_t>(options.trajectories),
                            RoutingState(&input));
    }
    result_.log_likelihoods.resize(result_.states.size(), 0);
    own_choices_.resize(result_.states.size(), 0);
  }

  absl::StatusOr<Rollout> Run() {
    DecoderState state = network_.Start(encoded_, options_.trajectories);
    while (!AllDone()) {
      VRP_RETURN_IF_ERROR(StopStatus(options_.stop.Check()));
      VRP_RETURN_IF_ERROR(buffers_.Observe(result_.states, inputs_));
      StepInputs inputs = buffers_.Inputs(network_.tensor_options());
      if (options_.teacher_forcing < 1 && result_.steps > 0) inputs.current = MixedNodes();
      if (FollowsBlindly()) {
        Follow(std::move(inputs));
      } else {
        const at::Tensor logits = network_.Step(encoded_, inputs, state);
        Advance(logits.to(at::kCPU, at::kFloat).contiguous(), std::move(inputs));
      }
      ++result_.steps;
    }
    if (options_.record) StackRecords();
    return std::move(result_);
  }

 private:
  bool AllDone() const {
    return std::all_of(result_.states.begin(), result_.states.end(),
                       [](const RoutingState& state) { return state.done(); });
  }

  // What the network would choose does not matter.
  bool FollowsBlindly() const {
    return options_.choice == Choice::kFollow && options_.teacher_forcing >= 1;
  }

  int32_t Given(size_t row) const {
    return options_.choices[row][static_cast<size_t>(result_.steps)];
  }

  // For each trajectory its last choice, or by chance what the network would have chosen.
  at::Tensor MixedNodes() const {
    at::Tensor nodes = buffers_.host().current.clone();
    auto* node = nodes.mutable_data_ptr<int64_t>();
    for (size_t row = 0; row < own_choices_.size(); ++row) {
      if (Uniform(row, 1) >= options_.teacher_forcing) node[row] = own_choices_[row];
    }
    return nodes.to(network_.tensor_options().device());
  }

  // In [0, 1), a function of (seed, stream, row, step) and of what it is drawn for.
  double Uniform(size_t row, uint32_t purpose) const {
    const PhiloxKey key = {
        {static_cast<uint32_t>(options_.seed), static_cast<uint32_t>(options_.seed >> 32)}};
    const PhiloxCounter words = PhiloxBlock(
        key,
        {{static_cast<uint32_t>(row), static_cast<uint32_t>(result_.steps) << 1 | purpose,
          static_cast<uint32_t>(options_.stream), static_cast<uint32_t>(options_.stream >> 32)}});
    return UnitDouble(uint64_t{words.lane[0]} << 32 | words.lane[1]);
  }

  int32_t Choose(size_t row, std::span<const double> log_probabilities) const {
    const auto best = std::max_element(log_probabilities.begin(), log_probabilities.end());
    const auto greedy = static_cast<int32_t>(best - log_probabilities.begin());
    if (options_.choice != Choice::kSample) return greedy;
    double left = Uniform(row, 0);
    for (size_t node = 0; node < log_probabilities.size(); ++node) {
      const double probability = std::exp(log_probabilities[node]);
      if (left < probability) return static_cast<int32_t>(node);
      left -= probability;
    }
    return greedy;  // what rounding left over
  }

  void Advance(const at::Tensor& logits, StepInputs inputs) {
    const float* values = logits.const_data_ptr<float>();
    const auto rows = static_cast<int64_t>(result_.states.size());
    const auto width = static_cast<size_t>(nodes_);
    StepRecord record = MakeRecord(std::move(inputs));
    auto* action = record.actions.mutable_data_ptr<int64_t>();
    auto* weight = record.active.mutable_data_ptr<float>();
    at::parallel_for(0, rows, 64, [&](int64_t begin, int64_t end) {
      std::vector<double> log_probabilities(width);
      for (int64_t at = begin; at < end; ++at) {
        const auto row = static_cast<size_t>(at);
        RoutingState& state = result_.states[row];
        if (state.done()) continue;
        LogSoftmax({values + at * nodes_, width}, options_.temperature, log_probabilities);
        own_choices_[row] = Choose(row, log_probabilities);
        const int32_t node = options_.choice == Choice::kFollow ? Given(row) : own_choices_[row];
        result_.log_likelihoods[row] += log_probabilities[static_cast<size_t>(node)];
        state.Take(node);
        action[at] = node;
        weight[at] = 1;
      }
    });
    if (options_.record) records_.push_back(std::move(record));
  }

  void Follow(StepInputs inputs) {
    StepRecord record = MakeRecord(std::move(inputs));
    for (size_t row = 0; row < result_.states.size(); ++row) {
      if (result_.states[row].done()) continue;
      result_.states[row].Take(Given(row));
      record.actions.mutable_data_ptr<int64_t>()[row] = Given(row);
      record.active.mutable_data_ptr<float>()[row] = 1;
    }
    if (options_.record) records_.push_back(std::move(record));
  }

  void StackRecords() {
    const at::TensorOptions options = network_.tensor_options();
    const auto stack = [this](auto get) {
      std::vector<at::Tensor> steps;
      for (const StepRecord& record : records_) steps.push_back(get(record));
      return at::stack(steps, 2).flatten(1, 2);
    };
    result_.inputs = {stack([](const StepRecord& r) { return r.inputs.current; }),
                      stack([](const StepRecord& r) { return r.inputs.context; }),
                      stack([](const StepRecord& r) { return r.inputs.dynamic; }),
                      stack([](const StepRecord& r) { return r.inputs.forbidden; })};
    result_.actions = stack([](const StepRecord& r) { return r.actions; }).to(options.device());
    result_.active = stack([](const StepRecord& r) { return r.active; }).to(options);
  }

  struct StepRecord {
    StepInputs inputs;
    at::Tensor actions;  // [B, P]
    at::Tensor active;   // [B, P]
  };

  static StepRecord MakeRecord(StepInputs inputs) {
    const std::vector<int64_t> shape = inputs.current.sizes().vec();
    StepRecord record{{}, at::zeros(shape, at::kLong), at::zeros(shape, at::kFloat)};
    record.inputs = std::move(inputs);
    return record;
  }

  const PointerNetwork& network_;
  const EncodedNodes& encoded_;
  const std::span<const NetworkInput> inputs_;
  const RolloutOptions& options_;
  const int64_t nodes_;
  StepBuffers buffers_;
  Rollout result_;
  std::vector<int32_t> own_choices_;
  std::vector<StepRecord> records_;
};

}  // namespace

absl::StatusOr<Rollout> RunRollout(const PointerNetwork& network, const EncodedNodes& encoded,
                                   std::span<const NetworkInput> inputs,
                                   const RolloutOptions& options) {
  const c10::NoGradGuard no_gradients;
  return Runner(network, encoded, inputs, options).Run();
}

at::Tensor ReplayLogProbabilities(const PointerNetwork& network, const EncodedNodes& encoded,
                                  const Rollout& rollout, bool dropout) {
  const int64_t trajectories = rollout.actions.size(1) / rollout.steps;
  const at::Tensor logits = network.Replay(encoded, rollout.inputs, trajectories, dropout);
  const at::Tensor chosen =
      at::log_softmax(logits, -1).gather(2, rollout.actions.unsqueeze(2)).squeeze(2);
  return chosen.masked_fill(rollout.active == 0, 0);
}

}  // namespace vrp
