#include "tests/model/torch_sequential.h"

#include <ATen/ATen.h>

#include "core/kernels/routing/routing_step.h"
#include "core/kernels/routing/step_observation.h"
#include "core/model/torch/batch.h"

namespace vrp::test {
namespace {

// Returns the terms of one step's choices, [B, P]; 0 after a trajectory's end.
at::Tensor StepTerm(const at::Tensor& logits, const at::Tensor& forbidden,
                    const at::Tensor& choices, double smoothing) {
  const at::Tensor log_probabilities = at::log_softmax(logits, -1);
  at::Tensor term = log_probabilities.gather(2, at::clamp_min(choices, 0).unsqueeze(2)).squeeze(2);
  if (smoothing > 0) {
    const at::Tensor mean =
        log_probabilities.masked_fill(forbidden, 0).sum(-1) / forbidden.logical_not().sum(-1);
    term = term * (1 - smoothing) + mean * smoothing;
  }
  return at::where(choices >= 0, term, at::zeros_like(term));
}

// The observations of B * P trajectories at a step, as columns in the CPU's memory, in float64.
class StepObservations {
 public:
  StepObservations(const ObservationLayout& layout, int64_t instances, int64_t paths)
      : layout_(layout) {
    const auto zeros = [&](std::vector<int64_t> shape, at::ScalarType type) {
      shape.insert(shape.begin(), {instances, paths});
      return at::zeros(shape, type);
    };
    inputs.current = zeros({}, at::kLong);
    inputs.first = zeros({}, at::kLong);
    inputs.begins = zeros({}, at::kBool);
    inputs.shares = zeros({ObservedShares(layout.kind)}, at::kDouble);
    inputs.forbidden = zeros({layout.nodes}, at::kBool);
    if (const int64_t features = ObservedFeatures(layout.kind); features > 0) {
      inputs.dynamic = zeros({layout.nodes, features}, at::kDouble);
    }
  }

  void Write(int64_t row, const StepRules& rules, const RouteState& state, const uint8_t* visited) {
    const bool pointer = layout_.kind == ObservationKind::kPointer;
    const ObservationColumns<double> columns = {
        inputs.current.mutable_data_ptr<int64_t>(),
        inputs.first.mutable_data_ptr<int64_t>(),
        reinterpret_cast<uint8_t*>(inputs.begins.mutable_data_ptr<bool>()),
        inputs.shares.mutable_data_ptr<double>(),
        reinterpret_cast<uint8_t*>(inputs.forbidden.mutable_data_ptr<bool>()),
        pointer ? inputs.dynamic.mutable_data_ptr<double>() : nullptr};
    WriteObservation(SerialGroup(), layout_,
                     {.rules = rules,
                      .state = state,
                      .visited = visited,
                      .scale = pointer ? PointerScale(rules.problem) : 1},
                     columns.At(row, layout_));
  }

  StepInputs inputs;

 private:
  const ObservationLayout layout_;
};

}  // namespace

std::vector<double> SequentialGradient(const SequentialRequest& request,
                                       const std::vector<double>& weights) {
  const NetworkBatch& batch = request.batch;
  const Trajectories& tours = request.trajectories;
  const int64_t paths = tours.count;
  const int64_t rows = batch.size() * paths;
  const int64_t nodes = batch.longest();
  const at::TensorOptions options = request.parameters.options();
  request.parameters.TrackGradient();
  request.parameters.gradient().zero_();
  Transfers transfers(options.device());
  const TorchBatch tensors = MakeTorchBatch(
      batch, {.first = 0, .count = batch.size(), .options = options, .edges = true}, transfers);
  const auto decoder = request.network.Encode(request.parameters, tensors, {});
  decoder->Start(paths);
  std::vector<StepRules> rules;
  std::vector<RouteState> states;
  std::vector<std::vector<uint8_t>> visited(static_cast<size_t>(rows),
                                            std::vector<uint8_t>(static_cast<size_t>(nodes)));
  for (int64_t row = 0; row < rows; ++row) {
    rules.push_back(MakeStepRules(batch.problems[static_cast<size_t>(row / paths)]));
    states.push_back(BeginTrajectory(rules.back(), visited[static_cast<size_t>(row)].data()));
  }
  at::Tensor sums = at::zeros({batch.size(), paths}, options);
  for (int64_t t = 0; t < tours.steps; ++t) {
    StepObservations observations(
        {.kind = request.network.observation_kind(), .nodes = static_cast<int32_t>(nodes)},
        batch.size(), paths);
    at::Tensor choices = at::full({batch.size(), paths}, -1, at::kLong);
    for (int64_t row = 0; row < rows; ++row) {
      const auto at = static_cast<size_t>(row);
      if (IsDone(states[at])) continue;
      observations.Write(row, rules[at], states[at], visited[at].data());
      const int32_t node = tours.Choices(row)[static_cast<size_t>(t)];
      if (t > 0 || !request.distinct_starts) choices.mutable_data_ptr<int64_t>()[row] = node;
      Take(rules[at], node, states[at], visited[at].data());
    }
    sums = sums + StepTerm(decoder->Step(observations.inputs), observations.inputs.forbidden,
                           choices, request.label_smoothing);
  }
  const at::Tensor factors =
      at::tensor(at::ArrayRef<double>(weights)).to(options).view({batch.size(), paths});
  (sums * factors).sum().backward();
  const at::Tensor host = sums.detach().to(at::kDouble).contiguous();
  return {host.const_data_ptr<double>(), host.const_data_ptr<double>() + rows};
}

}  // namespace vrp::test
