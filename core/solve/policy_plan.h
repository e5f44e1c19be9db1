// Asking a policy, and checking what it gave before it is used.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/policy/policy.h"
#include "core/problem/instance/instance.h"
#include "core/solve/decode_queue.h"

namespace vrp {

// One request by itself, on its own threads. The policy's errors; kInternal where it gave no plan.
absl::StatusOr<DecodedPlan> DecodeAlone(const DecodeJoin& request);

// Policy::Decode; kInternal for a wrong number of plans, kResourceExhausted where memory runs out.
absl::StatusOr<std::vector<DecodedPlan>> DecodeChecked(Policy& policy,
                                                       std::span<const Instance> instances,
                                                       const DecodeOptions& options);

// How long MeasuredTime may take.
inline constexpr absl::Duration kMostMeasuring = absl::Milliseconds(50);

// Estimates how long `request` takes alone: the time of a small instance of the policy's own kind,
// decoded in the same way, times the ratio of their rows. Blocks for kMostMeasuring at most; if
// that is after `until`, returns zero at once. Zero too if the policy fails on the instance.
DecodeTime MeasuredTime(const DecodeJoin& request, absl::Time until);

// `decoded`, what `policy` gave for `instance`, where the independent checker finds its best plan
// (it does not look at the others) complete and feasible; kInternal where not. Its error passes
// through.
absl::StatusOr<DecodedPlan> CheckedPlan(const Policy& policy, const Instance& instance,
                                        absl::StatusOr<DecodedPlan> decoded);

}  // namespace vrp
