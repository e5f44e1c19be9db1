// Decodes the escapes of URLs.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace vrp {

// Decodes the escapes of a part of a path, such as "%2F". Returns kInvalidArgument for a % without
// two hexadecimal digits.
absl::StatusOr<std::string> DecodePathSegment(std::string_view text);

// Decodes a name or value of a query, where "+" means a space too. Returns the same errors.
absl::StatusOr<std::string> DecodeQueryPart(std::string_view text);

}  // namespace vrp
