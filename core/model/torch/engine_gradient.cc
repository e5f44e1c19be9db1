// Gradients of a TorchEngine: both passes of a batch in parts, by fused or stepwise decoders.
#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/model/torch/engine.h"
#include "core/model/torch/engine_trajectories.h"
#include "core/model/torch/fused.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/phase_clock.h"
#include "core/model/torch/rollout.h"

namespace vrp {
namespace {

// Returns the largest difference between the two passes' log-likelihoods, per choice.
double PassDifference(const Trajectories& rollout, const double* second) {
  double largest = 0;
  for (size_t row = 0; row < rollout.lengths.size(); ++row) {
    const double difference = std::abs(second[row] - rollout.log_likelihoods[row]);
    const double per_choice = difference / std::max(rollout.lengths[row], 1);
    if (!(per_choice <= largest)) largest = per_choice;  // also if it is NaN
  }
  return largest;
}

}  // namespace

absl::StatusOr<GradientOutcome> TorchEngine::AddGradient(const NetworkBatch& batch,
                                                         const GradientRequest& request,
                                                         WeighTrajectories weigh) {
  VRP_RETURN_IF_ERROR(CheckTorchRequest(batch, request.rollout));
  GradientOutcome outcome;
  outcome.trajectories.count = request.rollout.trajectories;
  const absl::Status status = GuardTorch([&]() -> absl::Status {
    tensors_.TrackGradient();
    tensors_.gradient().zero_();
    VRP_RETURN_IF_ERROR(AddParts(batch, request, weigh, outcome));
    Transfers transfers(tensors_.options().device());
    FinishGradient(outcome, transfers);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return outcome;
}

absl::Status TorchEngine::AddParts(const NetworkBatch& batch, const GradientRequest& request,
                                   WeighTrajectories weigh, GradientOutcome& outcome) {
  int32_t first = 0;
  while (first < batch.size()) {
    int32_t largest = std::min(largest_part_, batch.size());
    if (request.micro_batch > 0) largest = std::min(largest, request.micro_batch);
    const Part part = {first, std::min(largest, batch.size() - first)};
    const at::Tensor before = tensors_.gradient().clone();
    const GradientOutcome outcome_before = outcome;
    const absl::Status added =
        GuardTorch([&] { return AddPart(batch, request, weigh, part, outcome); });
    if (added.ok()) {
      first += part.count;
      continue;
    }
    if (!absl::IsResourceExhausted(added) || part.count == 1) return added;
    TORCH_WARN_ONCE("out of memory with ", part.count, " instances at once: continuing with ",
                    (part.count + 1) / 2);
    tensors_.gradient().copy_(before);  // the failed backward may have added part of it
    outcome = outcome_before;
    largest_part_ = (part.count + 1) / 2;
    // Frees torch's cached memory, which cuBLAS, cuDNN and our launches need.
    if (!tensors_.options().device().is_cpu()) at::accelerator::emptyCache();
  }
  return absl::OkStatus();
}

struct TorchEngine::PartGradient {
  const NetworkBatch& batch;
  const GradientRequest& request;
  Part part;
  EncodeOptions encode;
  GradientOutcome& outcome;
  Transfers transfers;
  TorchPhaseClock clock;

  void Finish(const Trajectories& trajectories) {
    clock.Next(Phase::kBackward);
    AppendTrajectories(trajectories, outcome.trajectories);
    outcome.copied_bytes += transfers.bytes();
    outcome.copies += transfers.copies();
    outcome.matrix_bytes += transfers.matrix_bytes();
  }
  void Compare(const Trajectories& trajectories, const double* second) const {
    const double difference = PassDifference(trajectories, second);
    if (!(difference <= outcome.pass_difference)) outcome.pass_difference = difference;
  }
};

absl::Status TorchEngine::AddPart(const NetworkBatch& batch, const GradientRequest& request,
                                  WeighTrajectories weigh, Part part, GradientOutcome& outcome) {
  const at::Device device = tensors_.options().device();
  PartGradient work = {
      .batch = batch,
      .request = request,
      .part = part,
      .encode = {.gradient_checkpointing = options_.gradient_checkpointing,
                 .dropout = request.dropout,
                 .draws = {.seed = request.rollout.seed,
                           .stream = request.rollout.stream,
                           .first_instance = request.rollout.first_instance + part.first}},
      .outcome = outcome,
      .transfers = Transfers(device, options_.pinned),
      .clock = TorchPhaseClock(outcome.seconds, device)};
  std::optional<DecoderProjections> projections;
  {
    const AutocastScope autocast(device.type(), PrecisionOf(request.rollout.bf16));
    projections = Project(batch, part, work.encode, work.transfers);
  }
  return projections.has_value() ? AddFusedPart(work, weigh, *projections)
                                 : AddSteppedPart(work, weigh);
}

absl::Status TorchEngine::AddFusedPart(PartGradient& work, WeighTrajectories weigh,
                                       const DecoderProjections& projections) {
  work.clock.Next(Phase::kEncode);
  const std::unique_ptr<FusedDecoder> decoder =
      MakeFusedDecoder(projections,
                       {.batch = &work.batch,
                        .first = work.part.first,
                        .count = work.part.count,
                        .deterministic = options_.deterministic},
                       work.transfers);
  VRP_ASSIGN_OR_RETURN(const Trajectories trajectories, decoder->Rollout(work.request.rollout));
  work.clock.Next(Phase::kRollout);
  std::vector<double> weights(trajectories.costs.size());
  weigh(work.part.first, trajectories.costs, weights);
  const double smoothing = work.request.label_smoothing;
  VRP_ASSIGN_OR_RETURN(FusedGradient second, decoder->SecondPass(weights, smoothing));
  for (size_t row = 0; row < weights.size(); ++row) {
    work.outcome.loss += weights[row] * second.log_likelihoods[row];
  }
  if (smoothing == 0) work.Compare(trajectories, second.log_likelihoods.data());
  work.clock.Next(Phase::kSecondPass);
  if (scaler_.has_value()) {
    for (at::Tensor& gradient : second.gradients) gradient = scaler_->Scale(gradient);
  }
  torch::autograd::backward(second.roots, second.gradients);
  work.Finish(trajectories);
  return absl::OkStatus();
}

absl::Status TorchEngine::AddSteppedPart(PartGradient& work, WeighTrajectories weigh) {
  const GradientRequest& request = work.request;
  at::Tensor loss;
  Trajectories trajectories;
  {
    const AutocastScope autocast(tensors_.options().device().type(),
                                 PrecisionOf(request.rollout.bf16));
    const std::unique_ptr<TorchDecoder> decoder =
        Encode(work.batch, work.part, work.encode, work.transfers);
    work.clock.Next(Phase::kEncode);
    const TorchRolloutJob job = {.network = network_.get(),
                                 .decoder = decoder.get(),
                                 .batch = &work.batch,
                                 .first = work.part.first,
                                 .count = work.part.count,
                                 .request = &request.rollout,
                                 .record = true,
                                 .options = tensors_.options()};
    VRP_ASSIGN_OR_RETURN(TorchRollout rollout, RunTorchRollout(job, work.transfers));
    work.clock.Next(Phase::kRollout);
    const ReplayTerms terms =
        Replay(*decoder, rollout.steps, request.rollout.trajectories, request.label_smoothing);
    trajectories = std::move(rollout.trajectories);
    at::Tensor weights = at::empty({std::ssize(trajectories.costs)}, at::kDouble);
    weigh(work.part.first, trajectories.costs,
          {weights.mutable_data_ptr<double>(), trajectories.costs.size()});
    const at::Tensor likelihoods = SumSteps(terms.smoothed, trajectories);
    loss = (work.transfers.ToDevice(weights).to(likelihoods.options()) * likelihoods).sum();
    if (request.rollout.choice == Choice::kForced) {
      FillForced(terms, work.transfers, trajectories);
    } else {
      const at::Tensor second =
          work.transfers.ToHost(SumSteps(terms.chosen.detach().to(at::kDouble), trajectories));
      work.Compare(trajectories, second.const_data_ptr<double>());
    }
    work.outcome.loss += loss.item<double>();
    work.clock.Next(Phase::kSecondPass);
  }
  (scaler_.has_value() ? scaler_->Scale(loss) : loss).backward();
  work.Finish(trajectories);
  return absl::OkStatus();
}

void TorchEngine::FinishGradient(GradientOutcome& outcome, Transfers& transfers) {
  TorchPhaseClock clock(outcome.seconds, transfers.device());
  if (uploaded_ > 0) transfers.Count(std::exchange(uploaded_, 0));
  outcome.overflowed = scaler_.has_value() && !scaler_->Unscale(tensors_.gradient());
  transfers.Count(tensors_.DownloadGradient());
  outcome.copied_bytes += transfers.bytes();
  outcome.copies += transfers.copies();
  clock.Next(Phase::kCopy);
}

}  // namespace vrp
