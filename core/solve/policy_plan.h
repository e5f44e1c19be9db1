// Decodes with a policy and checks its plans before they are used.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/policy/policy.h"
#include "core/problem/instance/instance.h"
#include "core/solve/decode_queue.h"

namespace vrp {

// Decodes one request alone, on its own threads. Returns the policy's errors, and kInternal if it
// gave no plan.
absl::StatusOr<DecodedPlan> DecodeAlone(const DecodeJoin& request);

// Calls Policy::Decode. kInternal: a wrong number of plans. kResourceExhausted: out of memory.
absl::StatusOr<std::vector<DecodedPlan>> DecodeChecked(Policy& policy,
                                                       std::span<const Instance> instances,
                                                       const DecodeOptions& options);

// Time limit of MeasuredTime.
inline constexpr absl::Duration kMostMeasuring = absl::Milliseconds(50);

// Estimates how long `request` takes alone: the time of a small instance of the policy's own kind,
// decoded in the same way, times the ratio of their rows. Blocks for kMostMeasuring at most; if
// that ends after `until`, returns zero at once. Also zero if the policy fails on the instance.
DecodeTime MeasuredTime(const DecodeJoin& request, absl::Time until);

// Returns `decoded`, the result of `policy` for `instance`, if the independent checker finds its
// best plan complete and feasible (the others are not checked); kInternal otherwise. Errors in
// `decoded` are returned as they are.
absl::StatusOr<DecodedPlan> CheckedPlan(const Policy& policy, const Instance& instance,
                                        absl::StatusOr<DecodedPlan> decoded);

}  // namespace vrp
