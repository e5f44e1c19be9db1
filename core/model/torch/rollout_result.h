// What a rollout has written, as PolicyEngine::Run tells it. Needs torch.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/model/policy/policy_engine.h"
#include "core/model/torch/fused.h"

namespace vrp {

// `done` lies in the host's memory, a row a trajectory of the batch's part, more rows perhaps
// behind them; its choices are [rows, max_steps]. kFailedPrecondition, kInvalidArgument: a
// trajectory that did not come to its end, see PolicyEngine::Run.
absl::StatusOr<Trajectories> ReadRolloutResult(const BatchRolloutResult& done, int32_t max_steps,
                                           const FusedBatch& batch, const RolloutRequest& request);

}  // namespace vrp
