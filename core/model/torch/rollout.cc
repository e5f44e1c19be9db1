#include "core/model/torch/rollout.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/kernels/decoder/attention_decoder.h"
#include "core/model/torch/forced_decoding.h"
#include "core/model/torch/passes.h"
#include "core/model/torch/rollout_result.h"
#include "core/model/torch/rules.h"
#include "core/model/torch/sequence_rollout.h"

namespace vrp {
namespace {

// A rollout in which the network chooses.
class NetworkRollout {
 public:
  NetworkRollout(const TorchRolloutJob& job, Transfers& transfers)
      : job_(job), request_(*job.request), transfers_(transfers) {
    for (int32_t b = 0; b < job.count; ++b) {
      nodes_ = std::max<int64_t>(nodes_, problem(b).nodes);
      steps_ = std::max(steps_, MaxTourSteps(problem(b)));
    }
  }

  absl::StatusOr<TorchRollout> Run() {
    const DeviceRules rules = MakeDeviceRules(*job_.batch, job_.first, job_.count, transfers_);
    VRP_ASSIGN_OR_RETURN(const SequenceRollout rollout, RollOut(rules.rules));
    TorchRollout result;
    VRP_ASSIGN_OR_RETURN(result.trajectories, MakeTrajectories(rollout));
    if (!job_.record) return result;
    VRP_ASSIGN_OR_RETURN(ForcedSteps forced,
                         ForceDecode({.network = job_.network,
                                      .rules = rules.rules,
                                      .choices = rollout.choices,
                                      .nodes = nodes_,
                                      .type = c10::typeMetaToScalarType(job_.options.dtype()),
                                      .pool = request_.pool}));
    result.steps = std::move(forced.steps);
    if (request_.distinct_starts) ExcludeStarts(result.steps, request_.trajectories);
    return result;
  }

 private:
  const RoutingProblem& problem(int64_t b) const {
    return job_.batch->problems[static_cast<size_t>(job_.first + b)];
  }

  absl::StatusOr<SequenceRollout> RollOut(const StepRules* rules) const {
    const bool samples = request_.choice == Choice::kSample;
    return RollOutSequence(
        {.network = job_.network,
         .decoder = job_.decoder,
         .rules = rules,
         .instances = job_.count,
         .nodes = nodes_,
         .options = job_.options,
         .request = {.choice = samples ? StepChoice::kSample : StepChoice::kGreedy,
                     .trajectories = request_.trajectories,
                     .distinct_starts = request_.distinct_starts,
                     .temperature = request_.temperature,
                     .seed = request_.seed,
                     .stream = request_.stream,
                     .first_trajectory =
                         (request_.first_instance + job_.first) * request_.trajectories,
                     .max_steps = steps_},
         .poll_every = job_.options.device().is_cpu() ? 1 : kPollEverySteps,
         .stop = request_.stop,
         .pool = request_.pool});
  }

  absl::StatusOr<Trajectories> MakeTrajectories(const SequenceRollout& rollout) const {
    std::vector<at::Tensor> columns;
    for (const at::Tensor* const column :
         {&rollout.costs, &rollout.log_likelihoods, &rollout.lengths, &rollout.agreements,
          &rollout.ends, &rollout.choices}) {
      columns.push_back(column->contiguous().flatten().view(at::kByte));
    }
    const at::Tensor host = transfers_.ToHost(at::cat(columns));
    const auto steps = static_cast<int32_t>(rollout.choices.size(2));
    return ReadRolloutResult(
        RolloutViews(host.mutable_data_ptr<uint8_t>(), rollout.lengths.numel(), steps), steps,
        {.batch = job_.batch, .first = job_.first, .count = job_.count}, request_);
  }

  const TorchRolloutJob& job_;
  const RolloutRequest& request_;
  Transfers& transfers_;
  int64_t nodes_ = 0;
  int32_t steps_ = 1;  // largest number of steps of a tour
};

// A rollout along forced choices. The host only uploads rules and choices, and downloads costs,
// lengths and ends.
class ForcedRollout {
 public:
  ForcedRollout(const TorchRolloutJob& job, Transfers& transfers)
      : job_(job),
        request_(*job.request),
        transfers_(transfers),
        trajectories_(request_.trajectories),
        rows_(int64_t{job.count} * trajectories_) {
    for (int64_t row = 0; row < rows_; ++row) {
      steps_ = std::max<int64_t>(steps_, std::ssize(Given(row)));
    }
    for (int32_t b = 0; b < job.count; ++b) {
      nodes_ = std::max<int64_t>(nodes_, job.batch->nodes(job.first + b));
    }
  }

  absl::StatusOr<TorchRollout> Run() {
    VRP_RETURN_IF_ERROR(StopStatus(request_.stop.Check()));
    const DeviceRules rules = MakeDeviceRules(*job_.batch, job_.first, job_.count, transfers_);
    VRP_ASSIGN_OR_RETURN(
        ForcedSteps forced,
        ForceDecode({.network = job_.network,
                     .rules = rules.rules,
                     .choices = transfers_.ToDevice(Choices()),
                     .nodes = nodes_,
                     .type = c10::typeMetaToScalarType(job_.options.dtype()),
                     .seed = request_.seed,
                     .stream = request_.stream,
                     .first_trajectory = (request_.first_instance + job_.first) * trajectories_,
                     .pool = request_.pool}));
    TorchRollout result;
    VRP_ASSIGN_OR_RETURN(result.trajectories, MakeTrajectories(forced));
    result.steps = std::move(forced.steps);
    if (request_.distinct_starts) ExcludeStarts(result.steps, trajectories_);
    if (request_.teacher_forcing >= 1 || !job_.network->recurrent()) return result;
    VRP_ASSIGN_OR_RETURN(result.steps.inputs.current,
                         ReadOwnChoices({.decoder = job_.decoder,
                                         .inputs = result.steps.inputs,
                                         .own = forced.uniforms >= request_.teacher_forcing,
                                         .trajectories = trajectories_,
                                         .stop = request_.stop}));
    return result;
  }

 private:
  std::span<const int32_t> Given(int64_t row) const {
    return request_.choices[static_cast<size_t>(int64_t{job_.first} * trajectories_ + row)];
  }

  // Returns the choices [B, P, T] on the host.
  at::Tensor Choices() const {
    at::Tensor choices = at::full({job_.count, trajectories_, steps_}, -1, at::kInt);
    for (int64_t row = 0; row < rows_; ++row) {
      const std::span<const int32_t> from = Given(row);
      std::copy(from.begin(), from.end(), choices.mutable_data_ptr<int32_t>() + row * steps_);
    }
    return choices;
  }

  absl::StatusOr<Trajectories> MakeTrajectories(const ForcedSteps& forced) const {
    const at::Tensor host = transfers_.ToHost(
        at::stack({forced.ends.to(at::kDouble), forced.lengths.to(at::kDouble), forced.costs}));
    const double* const ends = host.const_data_ptr<double>();
    Trajectories result;
    result.count = static_cast<int32_t>(trajectories_);
    result.steps = static_cast<int32_t>(steps_);
    result.choices.assign(static_cast<size_t>(rows_ * steps_), -1);
    for (int64_t row = 0; row < rows_; ++row) {
      const auto length = static_cast<int32_t>(ends[rows_ + row]);
      if (ends[row] != static_cast<double>(TrajectoryEnd::kDone)) return Forbidden(row, length);
      VRP_RETURN_IF_ERROR(
          CheckForcedEnd(request_, int64_t{job_.first} * trajectories_ + row, length));
      std::copy_n(Given(row).begin(), length, result.choices.begin() + row * steps_);
      const RoutingProblem& problem =
          job_.batch->problems[static_cast<size_t>(job_.first + row / trajectories_)];
      result.lengths.push_back(length);
      result.costs.push_back(MetricSum(problem.metric, ends[2 * rows_ + row]));
    }
    result.log_likelihoods.resize(static_cast<size_t>(rows_));
    result.agreements.resize(static_cast<size_t>(rows_));
    return result;
  }

  absl::Status Forbidden(int64_t row, int32_t step) const {
    const std::span<const int32_t> given = Given(row);
    const int32_t node = step < std::ssize(given) ? given[static_cast<size_t>(step)] : -1;
    return absl::InvalidArgumentError(Concat(
        "choices[", int64_t{job_.first} * trajectories_ + row, "][", step, "]: got ",
        node < 0 ? "nothing" : Concat(node), ", wanted a node that is allowed at this step"));
  }

  const TorchRolloutJob& job_;
  const RolloutRequest& request_;
  Transfers& transfers_;
  const int64_t trajectories_;  // P
  const int64_t rows_;          // B * P
  int64_t nodes_ = 0;           // N
  int64_t steps_ = 1;           // T
};

}  // namespace

absl::StatusOr<TorchRollout> RunTorchRollout(const TorchRolloutJob& job, Transfers& transfers) {
  if (job.request->choice == Choice::kForced) return ForcedRollout(job, transfers).Run();
  return NetworkRollout(job, transfers).Run();
}

void ExcludeStarts(const TakenSteps& steps, int64_t trajectories) {
  steps.counted.unflatten(1, {trajectories, -1}).select(2, 0).fill_(false);
}

at::Tensor Sanitized(const at::Tensor& logits, const at::Tensor& forbidden) {
  return at::nan_to_num(logits.to(at::kDouble), 0, 0, 0)
      .masked_fill(forbidden, -std::numeric_limits<double>::infinity());
}

ChosenNodes ChooseNodes(const at::Tensor& logits, const ChoiceInputs& inputs) {
  const at::Tensor log_probabilities = at::log_softmax(logits, -1);
  const at::Tensor likeliest = at::argmax(log_probabilities, -1);
  at::Tensor own = likeliest;
  if (inputs.uniforms.defined()) {
    const at::Tensor below = at::cumsum(at::softmax(logits / inputs.temperature, -1), -1);
    const at::Tensor drawn = (below <= inputs.uniforms.unsqueeze(2)).sum(-1);
    own = at::where(drawn < logits.size(2), drawn, likeliest);  // only rounding leads out of range
  }
  const at::Tensor nodes = at::where(inputs.given >= 0, inputs.given, own);
  return {.nodes = nodes,
          .log_probabilities = log_probabilities.gather(2, nodes.unsqueeze(2)).squeeze(2),
          .likeliest = nodes == likeliest};
}

ReplayTerms Replay(const TorchDecoder& decoder, const TakenSteps& steps, int64_t trajectories,
                   double label_smoothing) {
  const at::Tensor logits = decoder.Replay(steps.inputs, trajectories);
  const at::Tensor log_probabilities = at::log_softmax(logits, -1);
  const at::Tensor uncounted = steps.counted.logical_not();
  const auto counted = [&](const at::Tensor& terms) { return terms.masked_fill(uncounted, 0); };
  ReplayTerms terms;
  terms.chosen = counted(log_probabilities.gather(2, steps.actions.unsqueeze(2)).squeeze(2));
  terms.smoothed = terms.chosen;
  if (label_smoothing > 0) {
    const at::Tensor& forbidden = steps.inputs.forbidden;
    const at::Tensor mean =
        log_probabilities.masked_fill(forbidden, 0).sum(-1) / forbidden.logical_not().sum(-1);
    terms.smoothed = (1 - label_smoothing) * terms.chosen + label_smoothing * counted(mean);
  }
  terms.agrees = (at::argmax(logits, -1) == steps.actions).logical_and(steps.counted);
  return terms;
}

}  // namespace vrp
