// What names a request in the log and to its caller.
#pragma once

#include <string>
#include <string_view>

namespace vrp {

// The metadata's key, both ways.
inline constexpr char kRequestIdKey[] = "x-request-id";

// `given`, where it is 1 to 64 letters, digits, `-`, `_`, `.`: such a text can be written anywhere
// as it is. Else a fresh id.
std::string RequestIdFrom(std::string_view given);

}  // namespace vrp
