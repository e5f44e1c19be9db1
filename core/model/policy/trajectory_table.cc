#include "core/model/policy/trajectory_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/kernels/routing/routing_step.h"

namespace vrp {
namespace {

StepChoice ToStepChoice(Choice choice) {
  switch (choice) {
    case Choice::kGreedy:
    case Choice::kBeam:  // a beam search makes no such choices
      return StepChoice::kGreedy;
    case Choice::kSample:
      return StepChoice::kSample;
    case Choice::kForced:
      return StepChoice::kForced;
  }
  return StepChoice::kGreedy;
}

// Returns the number, in the instance, of the first customer that a new vehicle cannot serve.
NodeIndex Unreachable(const NetworkBatch& batch, int32_t instance) {
  const StepRules rules = MakeStepRules(batch.problems[instance]);
  std::vector<uint8_t> visited(static_cast<size_t>(batch.nodes(instance)));
  const RouteState state = BeginTrajectory(rules, visited.data());
  int32_t node = 1;
  while (node + 1 < batch.nodes(instance) && IsAllowed(rules, state, visited.data(), node)) ++node;
  return batch.orders[batch.first_rows[instance] + node];
}

}  // namespace

TrajectoryTable::TrajectoryTable(const NetworkBatch& batch, const RolloutRequest& request)
    : batch_(batch) {
  table_.count = request.trajectories;
  for (const RoutingProblem& problem : batch.problems) {
    table_.steps = std::max(table_.steps, MaxTourSteps(problem));
  }
  const auto rows = static_cast<size_t>(Row(batch.size()));
  table_.choices.resize(rows * static_cast<size_t>(table_.steps));
  table_.lengths.resize(rows);
  table_.costs.resize(rows);
  table_.log_likelihoods.resize(rows);
  table_.agreements.resize(rows);
  if (request.choice == Choice::kForced) status_ = CopyForced(request);
  if (request.choice == Choice::kBeam && request.distinct_starts) {
    status_ = absl::InvalidArgumentError("distinct_starts: got true, wanted false for beam search");
  }
}

TrajectoryTable::TrajectoryTable(const NetworkBatch& batch, const GradientRequest& request)
    : TrajectoryTable(batch, request.rollout) {
  if (request.rollout.choice != Choice::kBeam) return;
  status_ = absl::InvalidArgumentError(
      "rollout.choice: a beam search has no gradient; force its choices instead");
}

absl::Status TrajectoryTable::CopyForced(const RolloutRequest& request) {
  const auto rows = static_cast<size_t>(Row(batch_.size()));
  if (request.choices.size() != rows) {
    return absl::InvalidArgumentError(
        Concat("choices: got ", request.choices.size(), " sequences, wanted ", rows));
  }
  forced_.assign(table_.choices.size(), -1);
  for (size_t row = 0; row < rows; ++row) {
    const std::vector<int32_t>& choices = request.choices[row];
    if (choices.size() > static_cast<size_t>(table_.steps)) {
      return absl::InvalidArgumentError(Concat("choices[", row, "]: got ", choices.size(),
                                               " steps, wanted at most ", table_.steps));
    }
    std::copy(choices.begin(), choices.end(),
              forced_.begin() + static_cast<std::ptrdiff_t>(row) * table_.steps);
  }
  return absl::OkStatus();
}

absl::Status TrajectoryTable::CheckForcedEnds() const {
  if (forced_.empty()) return absl::OkStatus();
  for (size_t row = 0; row < table_.lengths.size(); ++row) {
    const int32_t end = table_.lengths[row];
    const int32_t* const forced = forced_.data() + row * static_cast<size_t>(table_.steps);
    if (end < table_.steps && forced[end] >= 0) {
      return absl::InvalidArgumentError(Concat("choices[", row, "][", end, "]: got ", forced[end],
                                               ", but the trajectory ended before this step"));
    }
  }
  return absl::OkStatus();
}

DecodeRequest TrajectoryTable::Request(const RolloutRequest& request, int32_t instance,
                                       TrajectoryRange range) const {
  const int64_t row = Row(instance) + range.first;
  const bool follow = request.choice == Choice::kForced;
  return {.choice = ToStepChoice(request.choice),
          .trajectories = range.count,
          .distinct_starts = request.distinct_starts,
          .first_start = range.first,
          .temperature = request.temperature,
          .seed = request.seed,
          .stream = request.stream,
          .first_trajectory = request.first_instance * table_.count + row,
          .forced_choices = follow ? forced_.data() + row * table_.steps : nullptr,
          .stop = request.stop};
}

absl::Status TrajectoryTable::Error(DecodeStatus status, int32_t instance,
                                    const StopCondition& stop) const {
  switch (status) {
    case DecodeStatus::kDone:
      break;
    case DecodeStatus::kStopped:
      return StopStatus(stop.Check());
    case DecodeStatus::kUnreachable:
      return absl::FailedPreconditionError(Concat("instances[", instance, "]: customer ",
                                                  Unreachable(batch_, instance),
                                                  ": no vehicle can serve it from the depot"));
    case DecodeStatus::kForbidden:
      return absl::InvalidArgumentError(
          Concat("instances[", instance, "]: choices: a choice is not allowed at its step"));
  }
  return absl::OkStatus();
}

double TrajectoryTable::Difference(int32_t instance, int32_t trajectory,
                                   double log_likelihood) const {
  const auto row = static_cast<size_t>(Row(instance) + trajectory);
  return std::abs(log_likelihood - table_.log_likelihoods[row]) / std::max(1, table_.lengths[row]);
}

absl::StatusOr<Trajectories> TrajectoryTable::Take() {
  if (absl::Status status = CheckForcedEnds(); !status.ok()) return status;
  int32_t longest = 0;
  for (const int32_t length : table_.lengths) longest = std::max(longest, length);
  // Rows move towards the front, so no row is overwritten before it has moved.
  for (size_t row = 0; row < table_.lengths.size(); ++row) {
    const int32_t* const from = table_.choices.data() + row * static_cast<size_t>(table_.steps);
    std::copy(from, from + longest,
              table_.choices.begin() + static_cast<std::ptrdiff_t>(row) * longest);
  }
  table_.choices.resize(table_.lengths.size() * static_cast<size_t>(longest));
  table_.steps = longest;
  return std::move(table_);
}

}  // namespace vrp
