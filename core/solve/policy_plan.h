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

// Decodes one request alone: in this thread, or on request.threads threads if that is above 1.
// Returns the errors of DecodeChecked.
absl::StatusOr<DecodedPlan> DecodeAlone(const PolicyRequest& request);

// Calls Policy::Decode. Returns the policy's errors, kInternal for a wrong number of plans, and
// kResourceExhausted if memory runs out.
absl::StatusOr<std::vector<DecodedPlan>> DecodeChecked(Policy& policy,
                                                       std::span<const Instance> instances,
                                                       const DecodeOptions& options);

// Time limit of MeasureDecodeTime.
inline constexpr absl::Duration kMaxMeasuringTime = absl::Milliseconds(50);

// Returns an estimate of how long `request` takes alone. Decodes a small instance of the policy's
// first kind (CVRP if it names none), without improvement. Multiplies its time by the ratio of the
// rows. Blocks for about kMaxMeasuringTime at most, and sets `at_least` if this limit ended the
// decoding. Returns zero at once if the measurement could end after `until`, and zero if the policy
// fails on the instance.
DecodeTime MeasureDecodeTime(const PolicyRequest& request, absl::Time until);

// Returns `decoded`, the result of `policy` for `instance`, if the independent checker finds its
// best plan complete and feasible. Returns kInternal otherwise. Does not check the other plans.
// Returns errors in `decoded` unchanged.
absl::StatusOr<DecodedPlan> CheckDecodedPlan(const Policy& policy, const Instance& instance,
                                             absl::StatusOr<DecodedPlan> decoded);

}  // namespace vrp
