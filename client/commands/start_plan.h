// Reads the initial plan of `vrpctl solve --start`.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

// Puts `content`, read from the file `name`, into the request. JSON output of vrpctl becomes
// `initial_solution`; if there are several lines, the last one counts. Other content goes unchanged
// into `initial_solution_file`, and the daemon parses it: VROOM's output, CVRPLIB's .sol, TSPLIB's
// tours. Returns kInvalidArgument naming the field of invalid JSON output: `routes[2].stops[0]:
// got 7, wanted an object with a string id`.
absl::Status SetStartPlan(std::string_view name, std::string content, v1::SolveRequest& request);

}  // namespace vrp::client
