// Builds the output of `vrpctl estimate`.
#pragma once

#include <string>
#include <vector>

#include "client/output/json.h"
#include "vrp/v1/estimate_service.pb.h"

namespace vrp::client {

// Returns {"estimates": [...], "model", "coverage", "time_ms"}. `names` has one entry for each
// estimate: the file, or the number of the subset.
Json EstimatesJson(const v1::EstimateCostsResponse& response,
                   const std::vector<std::string>& names);
// Returns a table of the estimates and a line about the model, which ends with a line break.
std::string EstimatesText(const v1::EstimateCostsResponse& response,
                          const std::vector<std::string>& names);

}  // namespace vrp::client
