#include "core/model/torch_whole_steps.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>
#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/model/torch_guard.h"
#include "core/model/torch_passes.h"

namespace vrp {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class TorchWholeSteps final : public RecordedSteps {
 public:
  TorchWholeSteps(const WholeStepsRequest& request, const WholeStepsParts& parts,
                  std::unique_ptr<StepStream> stream)
      : RecordedSteps(request, parts, std::move(stream)),
        average_(at::zeros({}, at::TensorOptions(at::kDouble).device(device_))) {}

  absl::Status Step(StepBaseline baseline, const NetworkBatch& batch) override {
    return Begin(baseline, &batch);
  }
  absl::Status Step(StepBaseline baseline) override { return Begin(baseline, nullptr); }

 private:
  // A rollout on the device.
  struct Rolled {
    RolloutMemory memory;
    at::Tensor costs;  // [B, P], scaled
  };

  int64_t Trajectories(StepBaseline baseline) const {
    return baseline == StepBaseline::kShared ? request_.trajectories : 1;
  }
  DecoderProjections Project(const TorchParameters& parameters, const TorchBatch& batch) const;
  absl::StatusOr<Rolled> RollOut(FusedPasses<float>& passes,
                                 const BatchRolloutRequest& request) const;
  // By one greedy rollout, [B], scaled.
  absl::StatusOr<at::Tensor> GreedyCosts(const TorchParameters& parameters,
                                         const TorchBatch& batch) const;
  absl::Status Begin(StepBaseline baseline, const NetworkBatch* batch);
  // The average begins with a greedy rollout's mean.
  absl::Status BeginAverage();
  // The step's instances, where the device draws them, in the current stream.
  absl::Status Draw();
  // All of a step behind its instances, in the current stream.
  absl::Status Work(StepBaseline baseline);
  absl::StatusOr<at::Tensor> Advantages(StepBaseline baseline, const TorchBatch& batch,
                                        const Rolled& rolled) const;
  absl::Status Report(const Rolled& rolled, const at::Tensor& weights, const at::Tensor& terms);
  void Backward(PassGradient gradient) const;

  void LoadOwn(const WholeStepsState& state) override {
    average_.fill_(state.average.value);
    average_known_ = state.average.known;
  }
  void SaveOwn(WholeStepsState& state) const override {
    state.average = {.value = average_.item<double>(), .known = average_known_};
  }

  const at::Tensor average_;
  bool average_known_ = false;
};

absl::Status TorchWholeSteps::Begin(StepBaseline baseline, const NetworkBatch* batch) {
  if (request_.drawn.has_value() == (batch != nullptr)) {
    return absl::InvalidArgumentError(batch == nullptr
                                          ? "step: got no instances, and the device draws none"
                                          : "step: got instances, and the device draws its own");
  }
  return GuardTorch([&]() -> absl::Status {
    const bool begins = baseline == StepBaseline::kAverage && !average_known_;
    if (begins) VRP_RETURN_IF_ERROR(DropGraph());
    const auto first = [&]() -> absl::Status {
      VRP_RETURN_IF_ERROR(Draw());
      if (begins) VRP_RETURN_IF_ERROR(BeginAverage());
      return Work(baseline);
    };
    const auto work = [this, baseline]() -> absl::Status {
      VRP_RETURN_IF_ERROR(Draw());
      return Work(baseline);
    };
    VRP_RETURN_IF_ERROR(Take({.kind = static_cast<int>(baseline),
                              .upload = [&] { return batch_.Upload(*batch); },
                              .first = first,
                              .work = work}));
    average_known_ = average_known_ || begins;
    return absl::OkStatus();
  });
}

absl::Status TorchWholeSteps::Draw() {
  if (!request_.drawn.has_value()) return absl::OkStatus();
  return batch_.Draw(*request_.drawn, optimiser_.steps());
}

absl::Status TorchWholeSteps::BeginAverage() {
  const TorchBatch instances = batch_.View(at::kFloat, parts_.network->wants_edges());
  VRP_ASSIGN_OR_RETURN(const at::Tensor costs, GreedyCosts(*parts_.parameters, instances));
  average_.copy_(costs.mean());
  return absl::OkStatus();
}

DecoderProjections TorchWholeSteps::Project(const TorchParameters& parameters,
                                            const TorchBatch& batch) const {
  const AutocastScope autocast(device_.type(), parts_.options.precision);
  std::optional<DecoderProjections> projections = parts_.network->Project(parameters, batch, {});
  TORCH_CHECK(projections.has_value(), "a network whose passes are not fused");
  return *std::move(projections);
}

absl::StatusOr<TorchWholeSteps::Rolled> TorchWholeSteps::RollOut(
    FusedPasses<float>& passes, const BatchRolloutRequest& request) const {
  const int64_t rows = int64_t{request_.instances} * request.trajectories;
  const RolloutMemory memory(rows, request.max_steps, device_);
  VRP_RETURN_IF_ERROR(passes.Rollout(request, memory.result()));
  const at::Tensor costs = memory.Costs().view({request_.instances, request.trajectories});
  return Rolled{.memory = memory, .costs = costs / batch_.scales().unsqueeze(1)};
}

absl::StatusOr<at::Tensor> TorchWholeSteps::GreedyCosts(const TorchParameters& parameters,
                                                        const TorchBatch& batch) const {
  const c10::NoGradGuard no_gradients;
  FusedPasses<float> passes(Project(parameters, batch), batch_.rules(),
                            parts_.options.deterministic);
  VRP_ASSIGN_OR_RETURN(const Rolled rolled, RollOut(passes, {.max_steps = batch_.max_steps()}));
  return rolled.costs.squeeze(1);
}

absl::StatusOr<at::Tensor> TorchWholeSteps::Advantages(StepBaseline baseline,
                                                       const TorchBatch& batch,
                                                       const Rolled& rolled) const {
  at::Tensor base;
  switch (baseline) {
    case StepBaseline::kShared:
      base = rolled.costs.mean(1, true);
      break;
    case StepBaseline::kAverage:
      base = average_;
      break;
    case StepBaseline::kGreedy: {
      VRP_ASSIGN_OR_RETURN(base, GreedyCosts(*parts_.baseline, batch));
      base = base.unsqueeze(1);
      break;
    }
  }
  return ((rolled.costs - base) / rolled.costs.numel()).flatten();
}

absl::Status TorchWholeSteps::Work(StepBaseline baseline) {
  parts_.parameters->gradient().zero_();
  const TorchBatch instances = batch_.View(at::kFloat, parts_.network->wants_edges());
  const auto paths = static_cast<int32_t>(Trajectories(baseline));
  const bool starts = request_.distinct_starts && baseline == StepBaseline::kShared;
  FusedPasses<float> passes(Project(*parts_.parameters, instances), batch_.rules(),
                            parts_.options.deterministic);
  VRP_ASSIGN_OR_RETURN(const Rolled rolled, RollOut(passes, {.choice = StepChoice::kSample,
                                                             .trajectories = paths,
                                                             .distinct_starts = starts,
                                                             .seed = request_.seed,
                                                             .stream = 1,  // of the first step
                                                             .steps = optimiser_.steps(),
                                                             .max_steps = batch_.max_steps()}));
  at::Tensor weights;
  {
    const c10::NoGradGuard no_gradients;
    VRP_ASSIGN_OR_RETURN(weights, Advantages(baseline, instances, rolled));
  }
  const at::Tensor terms = at::empty_like(weights);
  VRP_ASSIGN_OR_RETURN(PassGradient gradient,
                       passes.SecondPass({.trajectories = paths,
                                          .distinct_starts = starts,
                                          .max_steps = batch_.max_steps(),
                                          .choices = rolled.memory.result().choices,
                                          .weights = weights.const_data_ptr<double>()},
                                         terms.mutable_data_ptr<double>()));
  Backward(std::move(gradient));
  if (baseline == StepBaseline::kAverage) {
    const double decay = request_.average_decay;
    average_.copy_(decay * average_ + (1 - decay) * rolled.costs.mean());
  }
  return Report(rolled, weights, terms);
}

void TorchWholeSteps::Backward(PassGradient gradient) const {
  for (at::Tensor& by : gradient.gradients) by = Scaled(by);
  torch::autograd::backward(gradient.roots, gradient.gradients);
}

absl::Status TorchWholeSteps::Report(const Rolled& rolled, const at::Tensor& weights,
                                     const at::Tensor& terms) {
  const c10::NoGradGuard no_gradients;
  const RolloutMemory& memory = rolled.memory;
  const at::Tensor difference = (terms - memory.LogLikelihoods()).abs();
  const auto done = static_cast<int32_t>(TrajectoryEnd::kDone);
  return Finish((weights * terms).sum(),
                {.cost = memory.Costs().mean(),
                 .pass_difference = (difference / memory.Lengths().clamp_min(1)).max(),
                 .instances = at::full({}, request_.instances, average_.options()),
                 .accuracy = at::full({}, kNone, average_.options()),
                 .stuck = (memory.Ends() != done).sum()});
}

}  // namespace

std::unique_ptr<WholeSteps> MakeTorchWholeSteps(const WholeStepsRequest& request,
                                                const WholeStepsParts& parts,
                                                std::unique_ptr<StepStream> stream) {
  return std::make_unique<TorchWholeSteps>(request, parts, std::move(stream));
}

}  // namespace vrp
