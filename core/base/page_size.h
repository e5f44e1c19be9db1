// Sizes of the pages in which lists are given.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace vrp {

inline constexpr int32_t kDefaultPageSize = 50;
inline constexpr int32_t kMaxPageSize = 1000;

// Returns the entries of a page of which `asked` were wanted; 0 stands for kDefaultPageSize.
// kInvalidArgument: `page_size: got ...`.
absl::StatusOr<size_t> PageSize(int32_t asked);

}  // namespace vrp
