// JSON text into a tree, with limits.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Checked while reading, before the tree grows: a short hostile text cannot take much memory or
// stack.
struct JsonLimits {
  int64_t max_bytes = int64_t{256} << 20;
  int32_t max_depth = 32;
  int64_t max_containers = 1'000'000;  // objects and arrays
  int64_t max_values = 60'000'000;     // all others; two matrices of 5,000 nodes are 50 million
};

// kInvalidArgument with `name:line:column` (syntax) or `name: key` (content): a syntax error, a
// number beyond double's range, NaN (which is no JSON), a key that stands twice in one object, a
// limit exceeded. Never throws.
absl::StatusOr<nlohmann::json> ParseJsonText(std::string_view text, std::string_view name,
                                             const JsonLimits& limits = {});

}  // namespace vrp
