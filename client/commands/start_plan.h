// The initial plan of `vrpctl solve --start`.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

// Puts `content`, of the file `name`, into the request. JSON answers of vrpctl become
// `initial_solution` (of several lines the last one). Other content goes unchanged into
// `initial_solution_file`, for the daemon to read: VROOM's output, CVRPLIB's .sol, TSPLIB's tours.
// kInvalidArgument names the place in a bad answer: `routes[2].stops[0].id: wanted a string`.
absl::Status SetStartPlan(std::string_view name, std::string content, v1::SolveRequest& request);

}  // namespace vrp::client
