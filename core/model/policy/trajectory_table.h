// A table into which a batch's rollouts write their trajectories. Needs no torch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "core/kernels/decoder/attention_decoder.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// Consecutive trajectories of an instance: first .. first + count - 1.
struct TrajectoryRange {
  int32_t first = 0;
  int32_t count = 0;
};

// The trajectories of a batch. Several threads may write different trajectories at the same time.
class TrajectoryTable {
 public:
  // Makes a table for `batch`, which must outlive it. If the request does not fit the batch, sets
  // status() to kInvalidArgument.
  TrajectoryTable(const NetworkBatch& batch, const RolloutRequest& request);
  TrajectoryTable(const NetworkBatch& batch, const GradientRequest& request);
  const absl::Status& status() const { return status_; }

  int32_t count() const { return table_.count; }      // P
  int32_t max_steps() const { return table_.steps; }  // number of columns until Take cuts them
  const int32_t* choices(int32_t instance) const {
    return table_.choices.data() + Row(instance) * table_.steps;
  }

  TrajectoryRange all() const { return {.first = 0, .count = table_.count}; }

  // Returns the decoder's request for trajectories `range` of an instance.
  DecodeRequest Request(const RolloutRequest& request, int32_t instance,
                        TrajectoryRange range) const;
  // Returns the rows into which the decoder writes, from `first_trajectory` of an instance on.
  template <typename T>
  DecodeResult<T> Result(int32_t instance, int32_t first_trajectory = 0) {
    const int64_t row = Row(instance) + first_trajectory;
    return {.max_steps = table_.steps,
            .choices = table_.choices.data() + row * table_.steps,
            .lengths = table_.lengths.data() + row,
            .costs = table_.costs.data() + row,
            .log_likelihoods = table_.log_likelihoods.data() + row,
            .agreements = table_.agreements.data() + row};
  }
  // Returns the error for a decoder's `status`; OK for kDone.
  absl::Status Error(DecodeStatus status, int32_t instance, const StopCondition& stop) const;

  // Returns the costs [count, P] of instances first .. first + count - 1.
  std::span<const double> Costs(int32_t first, int32_t count) const {
    return std::span(table_.costs)
        .subspan(static_cast<size_t>(Row(first)), static_cast<size_t>(Row(count)));
  }
  // Returns the absolute difference between the second pass's log-likelihood and the rollout's, per
  // choice.
  double Difference(int32_t instance, int32_t trajectory, double log_likelihood) const;

  // Returns the trajectories with as many steps as the longest one. The table is empty afterwards.
  // Returns kInvalidArgument if a trajectory ended before its forced choices.
  absl::StatusOr<Trajectories> Take();

 private:
  int64_t Row(int32_t instance) const { return static_cast<int64_t>(instance) * table_.count; }
  absl::Status CopyForced(const RolloutRequest& request);
  absl::Status CheckForcedEnds() const;

  const NetworkBatch& batch_;
  Trajectories table_;
  std::vector<int32_t> forced_;  // for kForced: [B, P, steps], -1 after the end
  absl::Status status_;
};

}  // namespace vrp
