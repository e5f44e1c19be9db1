#include "core/model/torch_whole_steps.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <limits>
#include <utility>

#include "core/base/status_macros.h"
#include "core/model/torch_guard.h"
#include "core/model/torch_step_passes.h"

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
  int64_t Trajectories(StepBaseline baseline) const {
    return baseline == StepBaseline::kShared ? request_.trajectories : 1;
  }
  std::unique_ptr<StepPasses> Encode(const TorchParameters& parameters,
                                     const TorchBatch& batch) const;
  // Scaled [B, P].
  at::Tensor CostsOf(const RolledTours& tours) const {
    return tours.costs.view({request_.instances, -1}) / batch_.scales().unsqueeze(1);
  }
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
  // [B * P], of scaled costs.
  absl::StatusOr<at::Tensor> Advantages(StepBaseline baseline, const TorchBatch& batch,
                                        const at::Tensor& costs) const;
  absl::Status Report(const RolledTours& tours, const at::Tensor& weights, const at::Tensor& terms);

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

std::unique_ptr<StepPasses> TorchWholeSteps::Encode(const TorchParameters& parameters,
                                                    const TorchBatch& batch) const {
  return MakeStepPasses({.network = parts_.network,
                         .parameters = &parameters,
                         .instances = &batch,
                         .rules = batch_.rules(),
                         .stream = stream(),
                         .precision = parts_.options.precision,
                         .scaler = parts_.scaler,
                         .deterministic = parts_.options.deterministic});
}

absl::StatusOr<at::Tensor> TorchWholeSteps::GreedyCosts(const TorchParameters& parameters,
                                                        const TorchBatch& batch) const {
  const c10::NoGradGuard no_gradients;
  VRP_ASSIGN_OR_RETURN(const RolledTours tours,
                       Encode(parameters, batch)->RollOut({.max_steps = batch_.max_steps()}));
  return CostsOf(tours).squeeze(1);
}

absl::StatusOr<at::Tensor> TorchWholeSteps::Advantages(StepBaseline baseline,
                                                       const TorchBatch& batch,
                                                       const at::Tensor& costs) const {
  at::Tensor base;
  switch (baseline) {
    case StepBaseline::kShared:
      base = costs.mean(1, true);
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
  return ((costs - base) / costs.numel()).flatten();
}

absl::Status TorchWholeSteps::Work(StepBaseline baseline) {
  parts_.parameters->gradient().zero_();
  const TorchBatch instances = batch_.View(at::kFloat, parts_.network->wants_edges());
  const std::unique_ptr<StepPasses> passes = Encode(*parts_.parameters, instances);
  VRP_ASSIGN_OR_RETURN(
      const RolledTours tours,
      passes->RollOut(
          {.choice = StepChoice::kSample,
           .trajectories = static_cast<int32_t>(Trajectories(baseline)),
           .distinct_starts = request_.distinct_starts && baseline == StepBaseline::kShared,
           .seed = request_.seed,
           .stream = 1,  // of the first step
           .steps = optimiser_.steps(),
           .max_steps = batch_.max_steps()}));
  at::Tensor weights;
  at::Tensor mean;
  {
    const c10::NoGradGuard no_gradients;
    const at::Tensor costs = CostsOf(tours);
    VRP_ASSIGN_OR_RETURN(weights, Advantages(baseline, instances, costs));
    mean = costs.mean();
  }
  VRP_ASSIGN_OR_RETURN(const at::Tensor terms, passes->Derive(weights));
  if (baseline == StepBaseline::kAverage) {
    const double decay = request_.average_decay;
    average_.copy_(decay * average_ + (1 - decay) * mean);
  }
  return Report(tours, weights, terms);
}

absl::Status TorchWholeSteps::Report(const RolledTours& tours, const at::Tensor& weights,
                                     const at::Tensor& terms) {
  const c10::NoGradGuard no_gradients;
  const at::Tensor difference = (terms - tours.log_likelihoods).abs();
  const auto done = static_cast<int32_t>(TrajectoryEnd::kDone);
  return Finish((weights * terms).sum(),
                {.cost = tours.costs.mean(),
                 .pass_difference = (difference / tours.lengths.clamp_min(1)).max(),
                 .instances = at::full({}, request_.instances, average_.options()),
                 .accuracy = at::full({}, kNone, average_.options()),
                 .stuck = (tours.ends != done).sum()});
}

}  // namespace

std::unique_ptr<WholeSteps> MakeTorchWholeSteps(const WholeStepsRequest& request,
                                                const WholeStepsParts& parts,
                                                std::unique_ptr<StepStream> stream) {
  return std::make_unique<TorchWholeSteps>(request, parts, std::move(stream));
}

}  // namespace vrp
