#include "core/model/torch/label_steps.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/torch/forced_decoding.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/rollout.h"
#include "core/model/torch/step_passes.h"

namespace vrp {
namespace {

// Random stream of the first step. Each step adds the number of finished steps.
constexpr uint64_t kFirstStream = 1;

class LabelSteps final : public CapturedStepsBase {
 public:
  LabelSteps(const CapturedStepsRequest& request, const CapturedStepsParts& parts,
             std::unique_ptr<StepStream> stream)
      : CapturedStepsBase(request, parts, std::move(stream)) {}

  absl::Status StepOnLabels(const StepLabels& labels, const NetworkBatch& batch) override {
    // Without own choices the decoder takes no steps before the pass, so the graph differs.
    const bool uses_own_choices = labels.teacher_forcing < 1;
    if (uses_own_choices && !parts_.network->recurrent()) {
      return absl::UnimplementedError(Concat("teacher_forcing: got ",
                                             FormatNumber(labels.teacher_forcing),
                                             ", wanted 1: this network reads no choices"));
    }
    const auto work = [this, uses_own_choices] { return LearnLabels(uses_own_choices); };
    return GuardTorch([&] {
      return StartStep({.kind = uses_own_choices ? 1 : 0,
                        .batch = &batch,
                        .labels = &labels,
                        .first = work,
                        .work = work});
    });
  }

 private:
  // Results of a part, [] each; sums unless stated otherwise.
  struct PartSums {
    at::Tensor loss;  // double
    at::Tensor agrees;
    at::Tensor choices;
    at::Tensor difference;  // double: largest |second pass - rollout| per choice
    at::Tensor stuck;
  };
  // Does all work of a step after its upload, in the current stream.
  absl::Status LearnLabels(bool own_choices);
  // Adds the gradient of instances `range`.
  absl::StatusOr<PartSums> LearnPart(InstanceRange range, bool own_choices);
  // Adds the gradient of instances `range`, for a network with fused passes.
  absl::StatusOr<PartSums> LearnFusedPart(InstanceRange range);
  // Returns the number of labelled tours that do not end properly.
  at::Tensor Stuck(InstanceRange range, const at::Tensor& ends) const {
    const auto done = static_cast<int32_t>(TrajectoryEnd::kDone);
    const at::Tensor labelled = batch().choices(range).select(2, 0).flatten() >= 0;
    return (ends != done).logical_and(labelled).sum();
  }
  absl::StatusOr<ForcedSteps> ForceLabels(InstanceRange range) const;
  absl::StatusOr<ReplayTerms> Terms(InstanceRange range, ForcedSteps& forced,
                                    bool own_choices) const;
  absl::Status ReportLabels(const std::vector<PartSums>& parts);
};

absl::StatusOr<ForcedSteps> LabelSteps::ForceLabels(InstanceRange range) const {
  return ForceDecode({.network = parts_.network,
                      .rules = batch().rules(range),
                      .choices = batch().choices(range),
                      .nodes = batch().nodes(),
                      .seed = request_.seed,
                      .stream = kFirstStream,
                      .steps = optimiser_.steps(),
                      .first_trajectory = range.first});
}

absl::StatusOr<ReplayTerms> LabelSteps::Terms(InstanceRange range, ForcedSteps& forced,
                                              bool own_choices) const {
  const TorchBatch instances = batch().View(range, at::kFloat, parts_.network->wants_edges());
  const AutocastScope autocast(device_.type(), parts_.options.precision);
  const std::unique_ptr<TorchDecoder> decoder =
      parts_.network->Encode(*parts_.parameters, instances,
                             {.dropout = request_.dropout,
                              .draws = {.seed = request_.seed,
                                        .stream = kFirstStream,
                                        .steps = optimiser_.steps(),
                                        .first_instance = range.first}});
  StepInputs& inputs = forced.steps.inputs;
  if (own_choices) {
    const at::Tensor own = forced.uniforms >= batch().scalars().teacher_forcing;
    VRP_ASSIGN_OR_RETURN(inputs.current,
                         ReadOwnChoices({.decoder = decoder.get(), .inputs = inputs, .own = own}));
  }
  return Replay(*decoder, forced.steps, 1, request_.label_smoothing);
}

absl::Status LabelSteps::LearnLabels(bool own_choices) {
  parts_.parameters->gradient().zero_();
  std::vector<PartSums> parts;
  for (int32_t part = 0; part < request_.parts; ++part) {
    VRP_ASSIGN_OR_RETURN(const PartSums sums, parts_.network->recurrent()
                                                  ? LearnPart(Part(part), own_choices)
                                                  : LearnFusedPart(Part(part)));
    parts.push_back(sums);
  }
  return ReportLabels(parts);
}

absl::StatusOr<LabelSteps::PartSums> LabelSteps::LearnPart(InstanceRange range, bool own_choices) {
  VRP_ASSIGN_OR_RETURN(ForcedSteps forced, ForceLabels(range));
  VRP_ASSIGN_OR_RETURN(const ReplayTerms terms, Terms(range, forced, own_choices));
  const at::Tensor weight = batch().scalars().weight.to(terms.smoothed.scalar_type());
  const at::Tensor loss = (terms.smoothed.sum(1) * weight).sum();
  torch::autograd::backward({Scaled(loss)}, {});
  const at::Tensor reported = loss.detach().to(at::kDouble);
  return PartSums{.loss = reported,
                  .agrees = terms.agrees.sum(),
                  .choices = forced.steps.counted.sum(),
                  .difference = at::zeros_like(reported),  // a single pass has no difference
                  .stuck = Stuck(range, forced.ends)};
}

absl::StatusOr<LabelSteps::PartSums> LabelSteps::LearnFusedPart(InstanceRange range) {
  const TorchBatch instances = batch().View(range, at::kFloat, parts_.network->wants_edges());
  const std::unique_ptr<StepPasses> passes =
      MakeStepPasses({.network = parts_.network,
                      .parameters = parts_.parameters,
                      .instances = &instances,
                      .rules = batch().rules(range),
                      .stream = stream(),
                      .precision = parts_.options.precision,
                      .scaler = parts_.scaler,
                      .deterministic = parts_.options.deterministic,
                      .gradient_checkpointing = parts_.options.gradient_checkpointing});
  const at::Tensor labels = batch().choices(range);
  VRP_ASSIGN_OR_RETURN(const RolloutTensors tours,
                       passes->RollOut({.choice = StepChoice::kForced,
                                        .max_steps = batch().max_steps(),
                                        .forced_choices = labels.const_data_ptr<int32_t>()}));
  const at::Tensor weights = batch().scalars().weight.expand({range.count}).contiguous();
  VRP_ASSIGN_OR_RETURN(const at::Tensor terms, passes->Backward(weights, request_.label_smoothing));
  const c10::NoGradGuard no_gradients;
  const at::Tensor difference = (terms - tours.log_likelihoods).abs() / tours.lengths.clamp_min(1);
  return PartSums{
      .loss = (weights * terms).sum(),
      .agrees = tours.agreements.sum(),
      .choices = tours.lengths.sum(),
      .difference = request_.label_smoothing > 0 ? at::zeros_like(difference[0]) : difference.max(),
      .stuck = Stuck(range, tours.ends)};
}

absl::Status LabelSteps::ReportLabels(const std::vector<PartSums>& parts) {
  const LabelScalars scalars = batch().scalars();
  const at::Tensor loss = Sum(parts, &PartSums::loss);
  const at::Tensor choices = Sum(parts, &PartSums::choices).to(at::kDouble);
  return Finish(loss, {.cost = scalars.cost,
                       .pass_difference = Largest(parts, &PartSums::difference),
                       .instances = scalars.instances,
                       .accuracy = Sum(parts, &PartSums::agrees) / choices.clamp_min(1),
                       .stuck = Sum(parts, &PartSums::stuck)});
}

}  // namespace

std::unique_ptr<CapturedSteps> MakeLabelSteps(const CapturedStepsRequest& request,
                                              const CapturedStepsParts& parts,
                                              std::unique_ptr<StepStream> stream) {
  return std::make_unique<LabelSteps>(request, parts, std::move(stream));
}

}  // namespace vrp
