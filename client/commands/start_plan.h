// The plan that `vrpctl solve --start` begins with.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

// Puts the content of a file called `name` into the request: an answer of ours in JSON (the last
// one, of several lines: the ids of its routes' stops, `frozen_stops` of a route), else VROOM's
// output, CVRPLIB's .sol form or a tour of TSPLIB's as they are, which the daemon reads.
// kInvalidArgument for JSON that is no answer, as `routes[2].stops[0].id: wanted a string`.
absl::Status SetStartPlan(std::string_view name, std::string content, v1::SolveRequest& request);

}  // namespace vrp::client
