// Improvement of a batch, split into short calls so that the caller can stop in between.
#pragma once

#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/kernels/improve/batch_improver.h"
#include "core/kernels/improve/improve_program.h"

namespace vrp {

// Runs `work` through `runner`, or directly if `runner` is null.
absl::Status RunOnDevice(const DeviceRunner& runner, absl::FunctionRef<absl::Status()> work);

// Calls `improve` through `runner` at least once, until all of options.rounds are done or the stop
// condition holds. Returns the number of rounds done. The split into calls does not affect the
// plans.
absl::StatusOr<int32_t> CallImprove(const ImproveOptions& options, const DeviceRunner& runner,
                                    absl::FunctionRef<absl::Status(const ImproveRequest&)> improve);

// Calls `improve` for parts of `plans` of at most `bytes` (or one plan), each with its share of the
// remaining time. Returns the smallest number of rounds of any part.
absl::StatusOr<int32_t> ImproveInParts(
    std::span<ImprovedPlan> plans, const ImproveOptions& options, int64_t bytes,
    absl::FunctionRef<absl::StatusOr<int32_t>(std::span<ImprovedPlan>, const ImproveOptions&)>
        improve);

}  // namespace vrp
