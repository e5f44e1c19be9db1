// The arguments of a solve, shared by `solve` and `start_solve_job`.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/mcp/tool.h"
#include "vrp/v1/solve.pb.h"

namespace vrp::client::mcp {

// Returns the properties of a solve with a budget of at most `max_budget`.
Json SolveProperties(absl::Duration default_budget, absl::Duration max_budget);

// Returns the request of the call, with `default_budget` if the call states none. Returns the
// errors of InstanceOf and PlanOf. Returns kInvalidArgument for a malformed name of a model, and
// for `frozen_stops` without a plan.
absl::StatusOr<v1::SolveRequest> SolveRequestOf(const ToolCall& call,
                                                absl::Duration default_budget);

}  // namespace vrp::client::mcp
