// Parses JSON text with limits.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Limits that ParseJsonText checks before the tree grows, so that a short malicious text cannot
// take much memory or stack.
struct JsonLimits {
  int64_t max_bytes = int64_t{256} << 20;
  int32_t max_depth = 32;
  int64_t max_containers = 1'000'000;  // objects and arrays
  int64_t max_values = 60'000'000;  // all other values; two matrices of 5,000 nodes have 50 million
};

// Parses `text`. Returns kInvalidArgument for a syntax error (including NaN), a number beyond
// double's range, a duplicate key in one object, or an exceeded limit. Syntax errors and numbers
// beyond double's range begin with `name:line:column:`, all others with `name:`. Throws only
// std::bad_alloc.
absl::StatusOr<nlohmann::json> ParseJsonText(std::string_view text, std::string_view name,
                                             const JsonLimits& limits = {});

}  // namespace vrp
