#include "core/model/torch_whole_steps.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/model/torch_device_optimiser.h"
#include "core/model/torch_guard.h"
#include "core/model/torch_passes.h"
#include "core/model/torch_step_batch.h"
#include "core/model/torch_step_reports.h"

namespace vrp {
namespace {

class TorchWholeSteps final : public WholeSteps {
 public:
  TorchWholeSteps(const WholeStepsRequest& request, const WholeStepsParts& parts,
                  std::unique_ptr<StepStream> stream)
      : request_(request),
        parts_(parts),
        device_(parts.parameters->options().device()),
        stream_(std::move(stream)),
        batch_({.instances = request.instances, .nodes = request.nodes, .tsp = request.tsp},
               device_),
        optimiser_(*parts.parameters, parts.host->layout(),
                   {.adamw = request.adamw,
                    .clip = request.gradient_clip,
                    .learning_rates = request.learning_rates},
                   parts.scaler),
        reports_(stream_.get(), request.report_every, device_),
        average_(at::zeros({}, at::TensorOptions(at::kDouble).device(device_))) {}

  ~TorchWholeSteps() override {
    // What runs still uses the memory. A device that does not answer uses none.
    static_cast<void>(GuardTorch([this] { return stream_->Wait(); }));
  }

  absl::Status Load(const WholeStepsState& state) override;
  absl::Status WaitForRoom() override {
    return GuardTorch([this] { return reports_.WaitForRoom(steps_ + 1); });
  }
  absl::Status Step(StepBaseline baseline, const NetworkBatch& batch) override {
    return Begin(baseline, &batch);
  }
  absl::Status Step(StepBaseline baseline) override { return Begin(baseline, nullptr); }
  std::vector<WholeStepReport> TakeReports() override { return reports_.Take(); }
  absl::Status Save(WholeStepsState& state) override;
  int64_t batch_bytes() const override {
    return device_.is_cpu() || request_.drawn.has_value() ? 0 : batch_.bytes();
  }

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
  absl::Status Launch(StepBaseline baseline);
  absl::Status DropGraph();
  // The step's instances, where the device draws them, in the current stream.
  absl::Status Draw();
  // All of a step behind its instances, in the current stream.
  absl::Status Work(StepBaseline baseline);
  absl::StatusOr<at::Tensor> Advantages(StepBaseline baseline, const TorchBatch& batch,
                                        const Rolled& rolled) const;
  absl::Status Finish(const Rolled& rolled, const at::Tensor& weights, const at::Tensor& terms);
  void Backward(PassGradient gradient) const;

  const WholeStepsRequest request_;
  const WholeStepsParts parts_;
  const at::Device device_;
  const std::unique_ptr<StepStream> stream_;
  StepBatch batch_;
  DeviceOptimiser optimiser_;
  StepReports reports_;
  const at::Tensor average_;
  bool average_known_ = false;
  int64_t steps_ = 0;                     // begun
  std::optional<StepBaseline> prepared_;  // of the last step that ran by itself, or of the graph
  std::unique_ptr<StepGraph> graph_;
};

absl::Status TorchWholeSteps::Load(const WholeStepsState& state) {
  return GuardTorch([&]() -> absl::Status {
    VRP_RETURN_IF_ERROR(stream_->Wait());
    parts_.parameters->Upload();
    optimiser_.Load(state.steps, state.updates, state.mean, state.square);
    average_.fill_(state.average.value);
    average_known_ = state.average.known;
    steps_ = state.steps;
    reports_.Begin(steps_);
    return absl::OkStatus();
  });
}

absl::Status TorchWholeSteps::Save(WholeStepsState& state) {
  return GuardTorch([&]() -> absl::Status {
    VRP_RETURN_IF_ERROR(stream_->Wait());
    VRP_RETURN_IF_ERROR(reports_.Finish(steps_));
    parts_.parameters->Download();
    const OptimiserState optimiser = optimiser_.Save(state.mean, state.square);
    state.steps = optimiser.steps;
    state.updates = optimiser.updates;
    state.average = {.value = average_.item<double>(), .known = average_known_};
    return absl::OkStatus();
  });
}

absl::Status TorchWholeSteps::Begin(StepBaseline baseline, const NetworkBatch* batch) {
  if (request_.drawn.has_value() == (batch != nullptr)) {
    return absl::InvalidArgumentError(batch == nullptr
                                          ? "step: got no instances, and the device draws none"
                                          : "step: got instances, and the device draws its own");
  }
  VRP_RETURN_IF_ERROR(WaitForRoom());
  return GuardTorch([&]() -> absl::Status {
    const c10::DeviceGuard guard(device_);
    if (batch != nullptr) {
      VRP_RETURN_IF_ERROR(stream_->Run([&] { return batch_.Upload(*batch); }));
    }
    VRP_RETURN_IF_ERROR(Launch(baseline));
    return reports_.StepBegun(++steps_);
  });
}

// The first step of a kind runs by itself, for torch prepares much at its first use that must not
// be recorded; the second one is recorded, and replayed from then on.
absl::Status TorchWholeSteps::Launch(StepBaseline baseline) {
  const bool begins = baseline == StepBaseline::kAverage && !average_known_;
  if (prepared_ != baseline || begins) {
    VRP_RETURN_IF_ERROR(DropGraph());
    const auto first = [&]() -> absl::Status {
      VRP_RETURN_IF_ERROR(Draw());
      if (begins) {
        const TorchBatch instances = batch_.View(at::kFloat, parts_.network->wants_edges());
        VRP_ASSIGN_OR_RETURN(const at::Tensor costs, GreedyCosts(*parts_.parameters, instances));
        average_.copy_(costs.mean());
      }
      return Work(baseline);
    };
    VRP_RETURN_IF_ERROR(stream_->Run(first));
    prepared_ = baseline;
    average_known_ = average_known_ || begins;
    return absl::OkStatus();
  }
  if (graph_ == nullptr) {
    VRP_ASSIGN_OR_RETURN(graph_, stream_->Capture([this, baseline]() -> absl::Status {
      VRP_RETURN_IF_ERROR(Draw());
      return Work(baseline);
    }));
  }
  return graph_->Replay();
}

absl::Status TorchWholeSteps::Draw() {
  if (!request_.drawn.has_value()) return absl::OkStatus();
  return batch_.Draw(*request_.drawn, optimiser_.steps());
}

absl::Status TorchWholeSteps::DropGraph() {
  prepared_.reset();
  if (graph_ == nullptr) return absl::OkStatus();
  const absl::Status waited = stream_->Wait();
  graph_.reset();
  return waited;
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
  return Finish(rolled, weights, terms);
}

void TorchWholeSteps::Backward(PassGradient gradient) const {
  if (parts_.scaler != nullptr) {
    for (at::Tensor& by : gradient.gradients) by = parts_.scaler->Scale(by);
  }
  torch::autograd::backward(gradient.roots, gradient.gradients);
}

absl::Status TorchWholeSteps::Finish(const Rolled& rolled, const at::Tensor& weights,
                                     const at::Tensor& terms) {
  const c10::NoGradGuard no_gradients;
  const at::Tensor loss = (weights * terms).sum();
  VRP_RETURN_IF_ERROR(optimiser_.Step(loss));
  const RolloutMemory& memory = rolled.memory;
  const at::Tensor difference = (terms - memory.LogLikelihoods()).abs();
  const auto done = static_cast<int32_t>(TrajectoryEnd::kDone);
  reports_.Write(optimiser_.Steps(),
                 {.loss = loss,
                  .cost = memory.Costs().mean(),
                  .norm = optimiser_.Norm(),
                  .pass_difference = (difference / memory.Lengths().clamp_min(1)).max(),
                  .stuck = (memory.Ends() != done).sum(),
                  .applied = optimiser_.Applied()});
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<WholeSteps> MakeTorchWholeSteps(const WholeStepsRequest& request,
                                                const WholeStepsParts& parts,
                                                std::unique_ptr<StepStream> stream) {
  return std::make_unique<TorchWholeSteps>(request, parts, std::move(stream));
}

}  // namespace vrp
