// Reads the waiting requests of a dispatch decision.
#pragma once

#include <istream>
#include <string>

#include "absl/status/status.h"
#include "vrp/v1/dispatch_service.pb.h"

namespace vrp::client {

// Adds the requests of a file with one JSON object per line: {"id": "order-1", "customer": "7",
// "demand": 3, "window": [0, 500], "service": 10, "must_go": true}. Only `customer` is required.
// "-" means `standard_input`. Returns the errors of ReadInput, and kInvalidArgument such as `line
// 3: customer: got 1.5, wanted an id` for wrong lines and for a file without requests.
absl::Status ReadDispatchRequests(const std::string& path, std::istream& standard_input,
                                  v1::DecideRequest& request);

}  // namespace vrp::client
