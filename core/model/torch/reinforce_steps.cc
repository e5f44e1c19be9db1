#include "core/model/torch/reinforce_steps.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <limits>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/step_passes.h"

namespace vrp {
namespace {

// Value of figures that REINFORCE does not have.
constexpr double kNotApplicable = std::numeric_limits<double>::quiet_NaN();

// Returns the columns [n] int64 of the cheapest `costs` [n, P], the first among equals. Torch's
// argmin may return any of them.
at::Tensor FirstOfCheapest(const at::Tensor& costs) {
  const int64_t count = costs.size(1);
  const at::Tensor columns = at::arange(count, costs.options().dtype(at::kLong));
  return columns.expand_as(costs).masked_fill(costs != costs.amin(1, true), count - 1).amin(1);
}

class ReinforceSteps final : public CapturedStepsBase {
 public:
  ReinforceSteps(const CapturedStepsRequest& request, const CapturedStepsParts& parts,
                 std::unique_ptr<StepStream> stream)
      : CapturedStepsBase(request, parts, std::move(stream)),
        average_(at::zeros({}, at::TensorOptions(at::kDouble).device(device_))) {}

  absl::Status Step(StepBaseline baseline, const NetworkBatch& batch) override {
    return Begin(baseline, &batch);
  }
  absl::Status Step(StepBaseline baseline) override { return Begin(baseline, nullptr); }

 private:
  int64_t Trajectories(StepBaseline baseline) const {
    const bool several = baseline == StepBaseline::kShared || baseline == StepBaseline::kBest;
    return several ? trajectories() : 1;
  }
  // Returns the number of trajectories that the gradient uses, over all instances.
  int64_t Tours(StepBaseline baseline) const {
    return request_.instances * (baseline == StepBaseline::kBest ? 1 : Trajectories(baseline));
  }
  // The n instances of a part of the step, which the network processes together.
  struct PartBatch {
    InstanceRange range;
    TorchBatch instances;
  };
  PartBatch BatchOf(int32_t part) const {
    const InstanceRange range = Part(part);
    PartBatch result = {
        .range = range,
        .instances = batch().View(range, at::kFloat, parts_.network->wants_edges())};
    result.instances.full = request_.drawn.has_value();  // the device draws no smaller instances
    return result;
  }
  std::unique_ptr<StepPasses> Encode(const TorchParameters& parameters,
                                     const PartBatch& part) const;
  // Returns scaled costs [n, P].
  at::Tensor CostsOf(const PartBatch& part, const RolloutTensors& tours) const {
    return tours.costs.view({part.range.count, -1}) / batch().scales(part.range).unsqueeze(1);
  }
  // Returns the scaled costs [n] of a greedy rollout.
  absl::StatusOr<at::Tensor> GreedyCosts(const TorchParameters& parameters,
                                         const PartBatch& part) const;
  absl::Status Begin(StepBaseline baseline, const NetworkBatch* batch);
  // Sets the average to the mean scaled cost of a greedy rollout.
  absl::Status BeginAverage();
  // Draws the step's instances in the current stream, if the device draws them.
  absl::Status Draw();
  // Does all work of a step after its instances are in place, in the current stream.
  absl::Status Work(StepBaseline baseline);
  // Sums over a part's trajectories, [] each, double unless stated otherwise.
  struct PartSums {
    at::Tensor loss;
    at::Tensor costs;
    at::Tensor scaled_costs;
    at::Tensor difference;  // the largest one, not a sum
    at::Tensor stuck;       // int64
  };
  // Adds the part's gradient.
  absl::StatusOr<PartSums> AddPart(StepBaseline baseline, const PartBatch& part);
  // Decodes the part's trajectories that the gradient uses.
  absl::StatusOr<RolloutTensors> RollOut(StepBaseline baseline, const PartBatch& part,
                                         StepPasses& passes) const;
  // Returns weights [n * P] for scaled costs [n, P].
  absl::StatusOr<at::Tensor> Weights(StepBaseline baseline, const PartBatch& part,
                                     const RolloutTensors& tours, const at::Tensor& costs) const;
  absl::Status FinishStep(StepBaseline baseline, const std::vector<PartSums>& parts);

  void LoadOwn(const CapturedStepsState& state) override {
    average_.fill_(state.average.value);
    average_known_ = state.average.known;
  }
  void SaveOwn(CapturedStepsState& state) const override {
    state.average = {.value = average_.item<double>(), .known = average_known_};
  }

  const at::Tensor average_;
  bool average_known_ = false;  // whether average_ has been set
};

absl::Status ReinforceSteps::Begin(StepBaseline baseline, const NetworkBatch* batch) {
  if (request_.drawn.has_value() == (batch != nullptr)) {
    return absl::InvalidArgumentError(batch == nullptr
                                          ? "step: got no instances, and the device draws none"
                                          : "step: got instances, and the device draws its own");
  }
  return GuardTorch([&]() -> absl::Status {
    const bool begins = baseline == StepBaseline::kAverage && !average_known_;
    const auto first = [&]() -> absl::Status {
      VRP_RETURN_IF_ERROR(Draw());
      if (begins) VRP_RETURN_IF_ERROR(BeginAverage());
      return Work(baseline);
    };
    const auto work = [this, baseline]() -> absl::Status {
      VRP_RETURN_IF_ERROR(Draw());
      return Work(baseline);
    };
    VRP_RETURN_IF_ERROR(StartStep({.kind = static_cast<int>(baseline),
                                   .batch = batch,
                                   .first = first,
                                   .work = work,
                                   .alone = begins}));
    average_known_ = average_known_ || begins;
    return absl::OkStatus();
  });
}

absl::Status ReinforceSteps::Draw() {
  if (!request_.drawn.has_value()) return absl::OkStatus();
  return batch().Draw(*request_.drawn, optimiser_.steps());
}

absl::Status ReinforceSteps::BeginAverage() {
  std::vector<at::Tensor> costs;
  for (int32_t part = 0; part < request_.parts; ++part) {
    VRP_ASSIGN_OR_RETURN(costs.emplace_back(), GreedyCosts(*parts_.parameters, BatchOf(part)));
  }
  average_.copy_(at::cat(costs).mean());
  return absl::OkStatus();
}

std::unique_ptr<StepPasses> ReinforceSteps::Encode(const TorchParameters& parameters,
                                                   const PartBatch& part) const {
  return MakeStepPasses({.network = parts_.network,
                         .parameters = &parameters,
                         .instances = &part.instances,
                         .rules = batch().rules(part.range),
                         .stream = stream(),
                         .precision = parts_.options.precision,
                         .scaler = parts_.scaler,
                         .deterministic = parts_.options.deterministic,
                         .gradient_checkpointing = parts_.options.gradient_checkpointing});
}

absl::StatusOr<at::Tensor> ReinforceSteps::GreedyCosts(const TorchParameters& parameters,
                                                       const PartBatch& part) const {
  const c10::NoGradGuard no_gradients;
  VRP_ASSIGN_OR_RETURN(const RolloutTensors tours,
                       Encode(parameters, part)->RollOut({.max_steps = batch().max_steps()}));
  return CostsOf(part, tours).squeeze(1);
}

absl::StatusOr<at::Tensor> ReinforceSteps::Weights(StepBaseline baseline, const PartBatch& part,
                                                   const RolloutTensors& tours,
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
      VRP_ASSIGN_OR_RETURN(base, GreedyCosts(*parts_.baseline, part));
      base = base.unsqueeze(1);
      break;
    }
    case StepBaseline::kBest:
      return -1 / (tours.lengths.to(at::kDouble) * Tours(baseline));
  }
  return ((costs - base) / Tours(baseline)).flatten();
}

absl::Status ReinforceSteps::Work(StepBaseline baseline) {
  parts_.parameters->gradient().zero_();
  std::vector<PartSums> parts;
  for (int32_t part = 0; part < request_.parts; ++part) {
    VRP_ASSIGN_OR_RETURN(const PartSums sums, AddPart(baseline, BatchOf(part)));
    parts.push_back(sums);
  }
  return FinishStep(baseline, parts);
}

absl::StatusOr<RolloutTensors> ReinforceSteps::RollOut(StepBaseline baseline, const PartBatch& part,
                                                       StepPasses& passes) const {
  const int64_t trajectories = Trajectories(baseline);
  VRP_ASSIGN_OR_RETURN(const RolloutTensors tours,
                       passes.RollOut({.choice = StepChoice::kSample,
                                       .trajectories = static_cast<int32_t>(trajectories),
                                       .distinct_starts = request_.distinct_starts &&
                                                          baseline == StepBaseline::kShared,
                                       .seed = request_.seed,
                                       .stream = 1,  // stream of the first step
                                       .steps = optimiser_.steps(),
                                       .first_trajectory = part.range.first * trajectories,
                                       .max_steps = batch().max_steps()}));
  if (baseline != StepBaseline::kBest) return tours;
  const c10::NoGradGuard no_gradients;
  return passes.Keep(FirstOfCheapest(tours.costs.view({part.range.count, -1})));
}

// Adds the part's gradient. Frees the part's memory on return, except its sums.
absl::StatusOr<ReinforceSteps::PartSums> ReinforceSteps::AddPart(StepBaseline baseline,
                                                                 const PartBatch& part) {
  const std::unique_ptr<StepPasses> passes = Encode(*parts_.parameters, part);
  VRP_ASSIGN_OR_RETURN(const RolloutTensors tours, RollOut(baseline, part, *passes));
  at::Tensor costs;
  at::Tensor weights;
  {
    const c10::NoGradGuard no_gradients;
    costs = CostsOf(part, tours);
    VRP_ASSIGN_OR_RETURN(weights, Weights(baseline, part, tours, costs));
  }
  VRP_ASSIGN_OR_RETURN(const at::Tensor terms, passes->Backward(weights, 0));
  const c10::NoGradGuard no_gradients;
  const at::Tensor difference = (terms - tours.log_likelihoods).abs();
  const auto done = static_cast<int32_t>(TrajectoryEnd::kDone);
  return PartSums{.loss = (weights * terms).sum(),
                  .costs = tours.costs.sum(),
                  .scaled_costs = costs.sum(),
                  .difference = (difference / tours.lengths.clamp_min(1)).max(),
                  .stuck = (tours.ends != done).sum()};
}

absl::Status ReinforceSteps::FinishStep(StepBaseline baseline, const std::vector<PartSums>& parts) {
  const c10::NoGradGuard no_gradients;
  const int64_t trajectories = Tours(baseline);
  if (baseline == StepBaseline::kAverage) {
    const double decay = request_.average_decay;
    const at::Tensor mean = Sum(parts, &PartSums::scaled_costs) / trajectories;
    average_.copy_(decay * average_ + (1 - decay) * mean);
  }
  return Finish(Sum(parts, &PartSums::loss),
                {.cost = Sum(parts, &PartSums::costs) / trajectories,
                 .pass_difference = Largest(parts, &PartSums::difference),
                 .instances = at::full({}, request_.instances, average_.options()),
                 .accuracy = at::full({}, kNotApplicable, average_.options()),
                 .stuck = Sum(parts, &PartSums::stuck)});
}

}  // namespace

std::unique_ptr<CapturedSteps> MakeReinforceSteps(const CapturedStepsRequest& request,
                                                  const CapturedStepsParts& parts,
                                                  std::unique_ptr<StepStream> stream) {
  return std::make_unique<ReinforceSteps>(request, parts, std::move(stream));
}

}  // namespace vrp
