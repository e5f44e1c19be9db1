// Chooses the id of a request in the log and in its metadata.
#pragma once

#include <string>
#include <string_view>

namespace vrp {

// The metadata key in requests and responses.
inline constexpr char kRequestIdKey[] = "x-request-id";

// Returns `given` if it consists of 1 to 64 letters, digits, `-`, `_` and `.`, which need no
// escaping anywhere. Otherwise returns a new id.
std::string RequestIdFrom(std::string_view given);

}  // namespace vrp
