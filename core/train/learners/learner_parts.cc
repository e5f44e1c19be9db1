#include "core/train/learners/learner_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/model/policy/network_batch.h"

namespace vrp {

StepParts::StepParts(const Learner& learner, int64_t step, int32_t micro_batch,
                     const StopCondition& stop)
    : options_(learner.options()),
      loss_(learner.Loss()),
      step_loss_(learner.LossAt(step)),
      step_(step),
      micro_batch_(micro_batch),
      stop_(stop),
      begun_(SteadyNow()) {}

RolloutRequest StepParts::Rollout(const BatchPart& part, Choice choice) const {
  RolloutRequest request;
  request.choice = choice;
  request.seed = options_.config.seed;
  request.stream = static_cast<uint64_t>(step_);
  request.first_instance = part.first;
  request.stop = stop_;
  request.pool = options_.pool;
  request.bf16 = options_.bf16;
  return request;
}

RolloutRequest StepParts::Sampled(const BatchPart& part) const {
  RolloutRequest request = Rollout(part, Choice::kSample);
  const bool several =
      step_loss_.baseline == StepBaseline::kShared || step_loss_.baseline == StepBaseline::kBest;
  if (!several) return request;
  request.trajectories = loss_.trajectories > 0 ? loss_.trajectories : MaxStarts(part.batch);
  request.distinct_starts = loss_.distinct_starts;
  return request;
}

RolloutRequest StepParts::ForLabels(const BatchPart& part,
                                    std::span<const std::vector<int32_t>> labels) const {
  RolloutRequest request = Rollout(part, Choice::kForced);
  request.choices = labels;
  request.teacher_forcing = step_loss_.teacher_forcing;
  return request;
}

GradientRequest StepParts::Gradient(const RolloutRequest& rollout) const {
  GradientRequest request;
  request.rollout = rollout;
  request.label_smoothing = loss_.label_smoothing;
  request.dropout = loss_.dropout;
  request.micro_batch = micro_batch_;
  return request;
}

absl::Status StepParts::AddOutcome(const GradientOutcome& part) {
  VRP_RETURN_IF_ERROR(CheckPassDifference(part.pass_difference, options_.bf16));
  outcome.loss += part.loss;
  outcome.pass_difference = std::max(outcome.pass_difference, part.pass_difference);
  outcome.overflowed = outcome.overflowed || part.overflowed;
  for (size_t i = 0; i < part.seconds.size(); ++i) outcome.seconds[i] += part.seconds[i];
  outcome.copies += part.copies;
  outcome.copied_bytes += part.copied_bytes;
  outcome.matrix_bytes += part.matrix_bytes;
  for (const double cost : part.trajectories.costs) cost_sum += cost;
  trajectories += static_cast<int64_t>(part.trajectories.costs.size());
  for (const int32_t count : part.trajectories.agreements) agreements += count;
  for (const int32_t count : part.trajectories.lengths) choices += count;
  return absl::OkStatus();
}

absl::Status StepParts::AddRanks(double& more) {
  if (options_.ranks == nullptr || options_.ranks->alone()) return absl::OkStatus();
  const std::array<double, 8> own = {outcome.loss,
                                     cost_sum,
                                     static_cast<double>(trajectories),
                                     static_cast<double>(agreements),
                                     static_cast<double>(choices),
                                     more,
                                     outcome.pass_difference,
                                     outcome.overflowed ? 1.0 : 0.0};
  VRP_ASSIGN_OR_RETURN(const std::vector<double> all,
                       options_.ranks->Gather(absl::OkStatus(), own));
  std::array<double, 6> sums{};
  for (size_t row = 0; row < all.size(); row += own.size()) {
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += all[row + i];
    outcome.pass_difference = std::max(outcome.pass_difference, all[row + 6]);
    outcome.overflowed = outcome.overflowed || all[row + 7] != 0;
  }
  outcome.loss = sums[0];
  cost_sum = sums[1];
  trajectories = static_cast<int64_t>(sums[2]);
  agreements = static_cast<int64_t>(sums[3]);
  choices = static_cast<int64_t>(sums[4]);
  more = sums[5];
  return absl::OkStatus();
}

double StepParts::ThreadSeconds() const {
  const double extra = options_.pool == nullptr ? 0 : options_.pool->extra_thread_seconds();
  return absl::ToDoubleSeconds(SteadyNow() - begun_) + extra;
}

void StepParts::AddRolloutSince(double start) {
  outcome.seconds[static_cast<size_t>(Phase::kRollout)] += ThreadSeconds() - start;
}

absl::Status CheckPassDifference(double difference, bool bf16) {
  // Limits allow for sums of some hundred terms in single precision. bf16 keeps 8 significant bits,
  // of logits up to the default logit_clip of 10.
  const double limit = bf16 ? 0.25 : 2e-3;
  if (!(difference > limit)) return absl::OkStatus();
  return absl::InternalError(Concat("the two passes' log-likelihoods differ by ",
                                    FormatNumber(difference), " per choice, wanted at most ",
                                    FormatNumber(limit)));
}

absl::StatusOr<std::vector<double>> GreedyCosts(const PolicyEngine& engine,
                                                const NetworkBatch& batch,
                                                const RolloutRequest& request) {
  VRP_ASSIGN_OR_RETURN(Trajectories found, engine.Run(batch, request));
  return std::move(found.costs);
}

}  // namespace vrp
