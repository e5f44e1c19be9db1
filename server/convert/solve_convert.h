// SolveRequest's options and SolveResponse.
#pragma once

#include <algorithm>

#include "absl/status/statusor.h"
#include "core/solve/solver.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// What a request may ask for.
struct SolveLimits {
  int32_t max_threads = 1;
  absl::Duration max_budget = absl::Hours(1);
  absl::Duration default_budget = absl::Milliseconds(500);  // at most max_budget
};
// Of a solve job.
inline SolveLimits JobSolveLimits(int32_t max_threads, absl::Duration max_budget) {
  return {max_threads, max_budget, std::min(absl::Minutes(10), max_budget)};
}
inline constexpr int32_t kMaxWidth = 1024;

// The options that the message states, with the defaults of the contract; times, cancellation and
// policy are the caller's to add. kInvalidArgument names every wrong field: `threads: got 9, wanted
// 1 to 4`.
absl::StatusOr<SolveOptions> SolveOptionsFromProto(const v1::SolveRequest& message,
                                                   const SolveLimits& limits);

// Without `model` and `solution_file`.
v1::SolveResponse ToProto(const Instance& instance, const SolveAnswer& answer);

}  // namespace vrp
