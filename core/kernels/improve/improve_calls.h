// A batch's improvement as calls that are short enough to be stopped between.
#pragma once

#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/kernels/improve/batch_improver.h"
#include "core/kernels/improve/improve_program.h"

namespace vrp {

// `work` as a piece of the device's.
absl::Status DoPiece(const DevicePiece& piece, absl::FunctionRef<absl::Status()> work);

// Calls `improve` for all of options.rounds, or until the stop, each time as a piece that ends with
// what was asked for. How many rounds were done. How they are split changes no plan.
absl::StatusOr<int32_t> CallImprove(const ImproveOptions& options, const DevicePiece& piece,
                                    absl::FunctionRef<absl::Status(const ImproveRequest&)> improve);

// Calls `improve` for parts of `plans` that take at most `bytes` (or are one plan), each with its
// share of the time. The fewest rounds of a part.
absl::StatusOr<int32_t> ImproveInParts(
    std::span<ImprovedPlan> plans, const ImproveOptions& options, int64_t bytes,
    absl::FunctionRef<absl::StatusOr<int32_t>(std::span<ImprovedPlan>, const ImproveOptions&)>
        improve);

}  // namespace vrp
