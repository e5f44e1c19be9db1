// SolveRequest's options and SolveResponse.
#pragma once

#include "absl/status/statusor.h"
#include "core/solve/solver.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

inline constexpr absl::Duration kMaxBudget = absl::Hours(1);
inline constexpr int32_t kMaxWidth = 1024;

// The options that the message states, with the defaults of the contract; times, cancellation and
// policy are the caller's to add. kInvalidArgument names every wrong field: `threads: got 9, wanted
// 1 to 4`.
absl::StatusOr<SolveOptions> SolveOptionsFromProto(const v1::SolveRequest& message,
                                                   int32_t max_threads);

// Without `model` and `solution_file`.
v1::SolveResponse ToProto(const Instance& instance, const SolveAnswer& answer);

}  // namespace vrp
