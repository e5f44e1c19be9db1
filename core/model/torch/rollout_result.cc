#include "core/model/torch/rollout_result.h"

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

absl::Status ForbiddenStatus(const RolloutRequest& request, int64_t trajectory, int32_t length) {
  const std::vector<int32_t>& given = request.choices[static_cast<size_t>(trajectory)];
  const int32_t node = length < std::ssize(given) ? given[static_cast<size_t>(length)] : -1;
  return absl::InvalidArgumentError(Concat("choices[", trajectory, "][", length, "]: got ",
                                           node < 0 ? "nothing" : Concat(node),
                                           ", wanted a node that is allowed at this step"));
}

absl::Status UnreachableStatus(const NetworkBatch& batch, int64_t instance,
                               std::span<const int32_t> choices) {
  int32_t left = 1;
  while (std::find(choices.begin(), choices.end(), left) != choices.end()) ++left;
  const int32_t first_row = batch.first_rows[static_cast<size_t>(instance)];
  return absl::FailedPreconditionError(
      Concat("instances[", instance, "]: customer ",
             batch.orders[static_cast<size_t>(first_row) + static_cast<size_t>(left)],
             " cannot be served by a route of its own"));
}

}  // namespace

absl::Status CheckForcedEnd(const RolloutRequest& request, int64_t trajectory, int32_t length) {
  if (request.choice != Choice::kForced) return absl::OkStatus();
  const std::vector<int32_t>& given = request.choices[static_cast<size_t>(trajectory)];
  if (length >= std::ssize(given) || given[static_cast<size_t>(length)] < 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(Concat("choices[", trajectory, "][", length, "]: got ",
                                           given[static_cast<size_t>(length)],
                                           ", but the trajectory ended before this step"));
}

absl::StatusOr<Trajectories> ReadRolloutResult(const BatchRolloutResult& done, int32_t max_steps,
                                               const FusedBatch& batch,
                                               const RolloutRequest& request) {
  const int64_t trajectories = request.trajectories;
  const int64_t rows = batch.count * trajectories;
  const int64_t longest = max_steps;
  Trajectories result;
  result.count = request.trajectories;
  for (int64_t row = 0; row < rows; ++row) {
    const int32_t length = done.lengths[row];
    if (done.ends[row] == TrajectoryEnd::kForbidden) {
      return ForbiddenStatus(request, batch.first * trajectories + row, length);
    }
    if (done.ends[row] != TrajectoryEnd::kDone) {
      return UnreachableStatus(*batch.batch, batch.first + row / trajectories,
                               {done.choices + row * longest, static_cast<size_t>(length)});
    }
    VRP_RETURN_IF_ERROR(CheckForcedEnd(request, batch.first * trajectories + row, length));
    result.steps = std::max(result.steps, length);
  }
  result.choices.resize(static_cast<size_t>(rows * result.steps));
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(done.choices + row * longest, result.steps,
                result.choices.begin() + row * result.steps);
    const auto instance = static_cast<size_t>(batch.first + row / trajectories);
    result.costs.push_back(MetricSum(batch.batch->problems[instance].metric, done.costs[row]));
  }
  result.lengths.assign(done.lengths, done.lengths + rows);
  result.log_likelihoods.assign(done.log_likelihoods, done.log_likelihoods + rows);
  result.agreements.assign(done.agreements, done.agreements + rows);
  return result;
}

}  // namespace vrp
