#include "core/model/torch/engine.h"

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/torch/fused.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/phase_clock.h"
#include "core/model/torch/rollout.h"

namespace vrp {
namespace {

// Rows (trajectories x nodes) of one part of a rollout; more are decoded in parts.
constexpr int64_t kMaxRows = int64_t{1} << 21;
// Pairs of nodes of one, where the network reads what lies between them: some 150 bytes each.
constexpr int64_t kMaxPairs = int64_t{1} << 26;

// The next instances' trajectories behind the others'.
void Append(const Trajectories& part, Trajectories& to) {
  const auto rows = static_cast<int64_t>(to.lengths.size());
  const int32_t steps = std::max(to.steps, part.steps);
  if (to.steps < steps) {
    std::vector<int32_t> wider(static_cast<size_t>(rows * steps), -1);
    for (int64_t row = 0; row < rows; ++row) {
      std::copy_n(to.choices.begin() + row * to.steps, to.steps, wider.begin() + row * steps);
    }
    to.choices = std::move(wider);
    to.steps = steps;
  }
  to.count = part.count;
  to.choices.resize(to.choices.size() + part.lengths.size() * static_cast<size_t>(steps), -1);
  for (int64_t row = 0; row < std::ssize(part.lengths); ++row) {
    std::copy_n(part.choices.begin() + row * part.steps, part.steps,
                to.choices.begin() + (rows + row) * steps);
  }
  const auto append = [](const auto& from, auto& column) {
    column.insert(column.end(), from.begin(), from.end());
  };
  append(part.lengths, to.lengths);
  append(part.costs, to.costs);
  append(part.log_likelihoods, to.log_likelihoods);
  append(part.agreements, to.agreements);
}

// The sums over each trajectory's steps, [B * P] on the host.
at::Tensor SumSteps(const at::Tensor& terms, const Trajectories& trajectories) {
  return terms.view({-1, std::max(trajectories.steps, 1)}).sum(1);
}

// Largest difference of the two passes' log-likelihoods, a choice.
double PassDifference(const Trajectories& rollout, const double* second) {
  double largest = 0;
  for (size_t row = 0; row < rollout.lengths.size(); ++row) {
    const double difference = std::abs(second[row] - rollout.log_likelihoods[row]);
    const double each = difference / std::max(rollout.lengths[row], 1);
    if (!(each <= largest)) largest = each;  // not a number, too
  }
  return largest;
}

// What the second pass knows of trajectories whose choices were given.
void FillForced(const ReplayTerms& terms, Transfers& transfers, Trajectories& trajectories) {
  const at::Tensor host =
      transfers.ToHost(at::stack({SumSteps(terms.chosen.detach().to(at::kDouble), trajectories),
                                  SumSteps(terms.agrees.to(at::kDouble), trajectories)}));
  const double* values = host.const_data_ptr<double>();
  const size_t rows = trajectories.lengths.size();
  trajectories.log_likelihoods.assign(values, values + rows);
  for (size_t row = 0; row < rows; ++row) {
    trajectories.agreements[row] = static_cast<int32_t>(values[rows + row]);
  }
}

absl::Status CheckRequest(const NetworkBatch& batch, const RolloutRequest& request) {
  if (request.choice == Choice::kBeam) {
    return absl::UnimplementedError(
        "method: beam search runs on the CPU alone; use it there, or samples or several starts");
  }
  if (request.trajectories < 1) {
    return absl::InvalidArgumentError(
        Concat("trajectories: got ", request.trajectories, ", wanted at least 1"));
  }
  const auto rows = static_cast<size_t>(batch.size()) * static_cast<size_t>(request.trajectories);
  if (request.choice != Choice::kForced || request.choices.size() == rows) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("choices: got ", request.choices.size(), " trajectories, wanted ", rows));
}

}  // namespace

TorchEngine::TorchEngine(std::unique_ptr<TorchNetwork> network, FlatParameters parameters,
                         at::TensorOptions tensors, const EngineOptions& options)
    : network_(std::move(network)),
      options_(options),
      host_(std::move(parameters)),
      tensors_(&host_, tensors),
      largest_part_(std::numeric_limits<int32_t>::max()),
      captured_(MakeCapturedRollouts()) {
  if (options.precision == Precision::kFp16) scaler_.emplace(tensors.device());
}

absl::Status TorchEngine::ParametersChanged() {
  return GuardTorch([this] {
    uploaded_ += tensors_.Upload();
    return absl::OkStatus();
  });
}

Precision TorchEngine::PrecisionOf(bool bf16) const {
  return bf16 && options_.precision == Precision::kFp32 ? Precision::kBf16 : options_.precision;
}

TorchBatch TorchEngine::Tensors(const NetworkBatch& batch, Part part, Transfers& transfers) const {
  return MakeTorchBatch(batch,
                        {.first = part.first,
                         .count = part.count,
                         .options = tensors_.options(),
                         .edges = network_->wants_edges()},
                        transfers);
}

std::optional<DecoderProjections> TorchEngine::Project(const NetworkBatch& batch, Part part,
                                                       const EncodeOptions& options,
                                                       Transfers& transfers) const {
  if (!options_.fused) return std::nullopt;
  return network_->Project(tensors_, Tensors(batch, part, transfers), options);
}

std::unique_ptr<TorchDecoder> TorchEngine::Encode(const NetworkBatch& batch, Part part,
                                                  const EncodeOptions& options,
                                                  Transfers& transfers) const {
  return network_->Encode(tensors_, Tensors(batch, part, transfers), options);
}

absl::StatusOr<Trajectories> TorchEngine::Run(const NetworkBatch& batch,
                                              const RolloutRequest& request) const {
  VRP_RETURN_IF_ERROR(CheckRequest(batch, request));
  if (captured_ == nullptr) return RunInParts(batch, request);
  if (auto recorded = captured_->Run(batch, request); recorded.has_value()) {
    return *std::move(recorded);
  }
  absl::StatusOr<Trajectories> done = RunInParts(batch, request);
  const bool short_of_memory = absl::IsResourceExhausted(done.status());
  return short_of_memory && captured_->ReleaseMemory() ? RunInParts(batch, request) : std::move(done);
}

absl::StatusOr<Trajectories> TorchEngine::RunInParts(const NetworkBatch& batch,
                                                     const RolloutRequest& request) const {
  Trajectories all;
  all.count = request.trajectories;
  const auto longest = std::max<int64_t>(1, batch.longest());
  const int64_t rows = longest * request.trajectories;
  int64_t most = kMaxRows / rows;
  if (network_->wants_edges()) most = std::min(most, kMaxPairs / (longest * longest));
  const auto largest = static_cast<int32_t>(std::max<int64_t>(1, most));
  const absl::Status status = GuardTorch([&]() -> absl::Status {
    const c10::NoGradGuard no_gradients;
    const AutocastScope autocast(tensors_.options().device().type(), options_.precision);
    for (int32_t first = 0; first < batch.size(); first += largest) {
      const Part part = {first, std::min(largest, batch.size() - first)};
      VRP_ASSIGN_OR_RETURN(const Trajectories done, RunPart(batch, request, part));
      Append(done, all);
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return all;
}

absl::StatusOr<Trajectories> TorchEngine::RunPart(const NetworkBatch& batch,
                                                  const RolloutRequest& request, Part part) const {
  Transfers transfers(tensors_.options().device(), options_.pinned);
  if (const std::optional<DecoderProjections> projections = Project(batch, part, {}, transfers)) {
    return MakeFusedDecoder(*projections,
                            {.batch = &batch, .first = part.first, .count = part.count}, transfers)
        ->Rollout(request);
  }
  const std::unique_ptr<TorchDecoder> decoder = Encode(batch, part, {}, transfers);
  const TorchRolloutJob job = {.network = network_.get(),
                               .decoder = decoder.get(),
                               .batch = &batch,
                               .first = part.first,
                               .count = part.count,
                               .request = &request,
                               .record = request.choice == Choice::kForced,
                               .options = tensors_.options()};
  VRP_ASSIGN_OR_RETURN(TorchRollout rollout, RunTorchRollout(job, transfers));
  if (job.record) {
    FillForced(Replay(*decoder, rollout.steps, request.trajectories, 0), transfers,
                 rollout.trajectories);
  }
  return std::move(rollout.trajectories);
}

absl::StatusOr<GradientOutcome> TorchEngine::AddGradient(const NetworkBatch& batch,
                                                         const GradientRequest& request,
                                                         WeighTrajectories weigh) {
  VRP_RETURN_IF_ERROR(CheckRequest(batch, request.rollout));
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
    TORCH_WARN_ONCE("out of memory with ", part.count, " instances at once: going on with ",
                    (part.count + 1) / 2);
    tensors_.gradient().copy_(before);  // backward may have added a part of its own
    outcome = outcome_before;
    largest_part_ = (part.count + 1) / 2;
    // cuBLAS, cuDNN and our launches take what torch's allocator does not keep.
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
    Append(trajectories, outcome.trajectories);
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

absl::StatusOr<std::map<std::string, double>> TorchEngine::ScalarState() const {
  std::map<std::string, double> numbers;
  VRP_RETURN_IF_ERROR(GuardTorch([&] {
    if (scaler_.has_value()) numbers = scaler_->ScalarState();
    return absl::OkStatus();
  }));
  return numbers;
}

absl::Status TorchEngine::Restore(const std::map<std::string, double>& numbers) {
  return GuardTorch([&] {
    if (scaler_.has_value() && numbers.contains("loss_scale")) scaler_->Restore(numbers);
    return absl::OkStatus();
  });
}

}  // namespace vrp
