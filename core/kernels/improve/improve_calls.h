// A batch's improvement as calls that are short enough to be stopped between.
#pragma once

#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/kernels/batch_improver.h"
#include "core/kernels/improve/improve_program.h"

namespace vrp {

// Calls `improve` for all of options.rounds, or until the stop, and waits for it each time. How
// many rounds were done. How they are split changes no plan.
absl::StatusOr<int32_t> CallImprove(const ImproveOptions& options,
                                    absl::FunctionRef<absl::Status(const ImproveRequest&)> improve);

// Calls `improve` for parts of `plans` that take at most `bytes` (or are one plan), each with its
// share of the time. The fewest rounds of a part.
absl::StatusOr<int32_t> ImproveInParts(
    std::span<ImprovedPlan> plans, const ImproveOptions& options, int64_t bytes,
    absl::FunctionRef<absl::StatusOr<int32_t>(std::span<ImprovedPlan>, const ImproveOptions&)>
        improve);

}  // namespace vrp
