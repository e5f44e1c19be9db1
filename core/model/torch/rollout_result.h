// Conversion of a rollout's results to Trajectories. Needs torch.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/model/policy/policy_engine.h"
#include "core/model/torch/fused.h"

namespace vrp {

// Returns kInvalidArgument if a trajectory that ended after `length` steps has more forced choices.
absl::Status CheckForcedEnd(const RolloutRequest& request, int64_t trajectory, int32_t length);

// Converts `done`, which is in the host's memory: one row per trajectory of the batch's part,
// perhaps followed by others, with choices [rows, max_steps]. If a trajectory did not end properly,
// returns kFailedPrecondition or kInvalidArgument as PolicyEngine::Run does.
absl::StatusOr<Trajectories> ReadRolloutResult(const BatchRolloutResult& done, int32_t max_steps,
                                               const FusedBatch& batch,
                                               const RolloutRequest& request);

}  // namespace vrp
