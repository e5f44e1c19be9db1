#include "core/model/torch/step_passes.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/model/torch/forced_decoding.h"
#include "core/model/torch/passes.h"
#include "core/model/torch/rollout.h"
#include "core/model/torch/sequence_rollout.h"

namespace vrp {
namespace {

// Returns rows `rows` [n] of tours [R].
RolloutTensors RowsOf(const RolloutTensors& tours, const at::Tensor& rows) {
  return {.costs = tours.costs.index_select(0, rows),
          .log_likelihoods = tours.log_likelihoods.index_select(0, rows),
          .lengths = tours.lengths.index_select(0, rows),
          .agreements = tours.agreements.index_select(0, rows),
          .ends = tours.ends.index_select(0, rows)};
}

// Returns the rows of trajectories `which` [B] among `trajectories` of each instance.
at::Tensor RowsOfTrajectories(const at::Tensor& which, int64_t trajectories) {
  return at::arange(which.size(0), which.options()) * trajectories + which;
}

at::Tensor ScaledBy(const LossScaler* scaler, const at::Tensor& loss) {
  return scaler == nullptr ? loss : scaler->Scale(loss);
}

// The passes of a network with fused passes, in one launch each.
class FusedStepPasses final : public StepPasses {
 public:
  FusedStepPasses(const StepPassesOptions& options, const DecoderProjections& projections)
      : scaler_(options.scaler),
        rows_(projections.rows.size(0)),
        device_(projections.rows.device()),
        passes_(projections, options.rules, options.deterministic) {}

  absl::StatusOr<RolloutTensors> RollOut(const BatchRolloutRequest& request) override {
    request_ = request;
    memory_.emplace(rows_ * request.trajectories, request.max_steps, device_);
    VRP_RETURN_IF_ERROR(passes_.Rollout(request, memory_->result()));
    choices_ = memory_->Choices();
    return Tours();
  }

  RolloutTensors Keep(const at::Tensor& which) override {
    const at::Tensor rows = RowsOfTrajectories(which, request_.trajectories);
    request_.trajectories = 1;
    choices_ = choices_.index_select(0, rows);
    return RowsOf(Tours(), rows);
  }

  absl::StatusOr<at::Tensor> Backward(const at::Tensor& weights, double label_smoothing) override {
    at::Tensor terms = at::empty_like(weights);
    VRP_ASSIGN_OR_RETURN(PassGradient gradient,
                         passes_.SecondPass({.trajectories = request_.trajectories,
                                             .distinct_starts = request_.distinct_starts,
                                             .label_smoothing = label_smoothing,
                                             .max_steps = request_.max_steps,
                                             .choices = choices_.const_data_ptr<int32_t>(),
                                             .weights = weights.const_data_ptr<double>()},
                                            terms.mutable_data_ptr<double>()));
    for (at::Tensor& by : gradient.gradients) by = ScaledBy(scaler_, by);
    torch::autograd::backward(gradient.roots, gradient.gradients);
    return terms;
  }

 private:
  RolloutTensors Tours() const {
    return {.costs = memory_->Costs(),
            .log_likelihoods = memory_->LogLikelihoods(),
            .lengths = memory_->Lengths(),
            .agreements = memory_->Agreements(),
            .ends = memory_->Ends()};
  }

  const LossScaler* const scaler_;
  const int64_t rows_;  // B
  const at::Device device_;
  FusedPasses<float> passes_;
  BatchRolloutRequest request_;  // request of the trajectories that are kept
  std::optional<RolloutMemory> memory_;
  at::Tensor choices_;  // [B * P, T] int32 of the trajectories that are kept
};

// The passes of a sequence model: a rollout step by step, a second pass over whole sequences.
class SequenceStepPasses final : public StepPasses {
 public:
  SequenceStepPasses(const StepPassesOptions& options, std::unique_ptr<TorchDecoder> decoder)
      : options_(options), decoder_(std::move(decoder)) {}

  absl::StatusOr<RolloutTensors> RollOut(const BatchRolloutRequest& request) override {
    const TorchBatch& instances = *options_.instances;
    const AutocastScope autocast(instances.features.device().type(), options_.precision);
    request_ = request;
    VRP_ASSIGN_OR_RETURN(
        rollout_, RollOutSequence({.network = options_.network,
                                   .decoder = decoder_.get(),
                                   .rules = options_.rules,
                                   .instances = static_cast<int32_t>(instances.features.size(0)),
                                   .nodes = instances.features.size(1),
                                   .options = instances.features.options(),
                                   .request = request,
                                   .poll_every = kPollEverySteps,
                                   .stream = options_.stream}));
    return Tours();
  }

  RolloutTensors Keep(const at::Tensor& which) override {
    const at::Tensor rows = RowsOfTrajectories(which, request_.trajectories);
    request_.trajectories = 1;
    rollout_.choices = rollout_.choices.flatten(0, 1).index_select(0, rows).unsqueeze(1);
    return RowsOf(Tours(), rows);
  }

  absl::StatusOr<at::Tensor> Backward(const at::Tensor& weights, double label_smoothing) override {
    VRP_ASSIGN_OR_RETURN(const ForcedSteps forced,
                         ForceDecode({.network = options_.network,
                                      .rules = options_.rules,
                                      .choices = rollout_.choices,
                                      .nodes = options_.instances->features.size(1)}));
    if (request_.distinct_starts) ExcludeStarts(forced.steps, request_.trajectories);
    at::Tensor likelihoods;  // [B * P]
    {
      const AutocastScope autocast(weights.device().type(), options_.precision);
      const ReplayTerms terms =
          Replay(*decoder_, forced.steps, request_.trajectories, label_smoothing);
      likelihoods = terms.smoothed.view({-1, request_.max_steps}).sum(1);
    }
    const at::Tensor loss = (weights.to(likelihoods.options()) * likelihoods).sum();
    torch::autograd::backward({ScaledBy(options_.scaler, loss)}, {});
    return likelihoods.detach().to(at::kDouble);
  }

 private:
  RolloutTensors Tours() const {
    return {.costs = rollout_.costs,
            .log_likelihoods = rollout_.log_likelihoods,
            .lengths = rollout_.lengths,
            .agreements = rollout_.agreements.flatten(),
            .ends = rollout_.ends};
  }

  const StepPassesOptions options_;
  const std::unique_ptr<TorchDecoder> decoder_;
  BatchRolloutRequest request_;
  SequenceRollout rollout_;  // the last rollout
};

}  // namespace

std::unique_ptr<StepPasses> MakeStepPasses(const StepPassesOptions& options) {
  const TorchBatch& instances = *options.instances;
  const AutocastScope autocast(instances.features.device().type(), options.precision);
  if (options.network->recurrent()) {
    return std::make_unique<SequenceStepPasses>(
        options, options.network->Encode(*options.parameters, instances, {}));
  }
  const std::optional<DecoderProjections> projections = options.network->Project(
      *options.parameters, instances, {.gradient_checkpointing = options.gradient_checkpointing});
  TORCH_CHECK(projections.has_value(), "this network has no fused passes");
  return std::make_unique<FusedStepPasses>(options, *projections);
}

}  // namespace vrp
