// Builds the request message of an RPC from the parts of an HTTP request.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/http/http_routes.h"

namespace vrp {

// Returns the serialized message with the fields of the path, and those of the query (GET, DELETE)
// or the JSON body (other methods). An empty body means {}. Returns kInvalidArgument for wrong and
// unknown fields, fields that are given twice, and for a query or body that the method does not
// take.
absl::StatusOr<std::string> RequestMessageOf(const HttpRouteMatch& match, std::string_view query,
                                             std::string_view body);

}  // namespace vrp
