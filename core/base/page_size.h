// Checks the page sizes of list requests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace vrp {

// Default and maximum number of entries of a page.
inline constexpr int32_t kDefaultPageSize = 50;
inline constexpr int32_t kMaxPageSize = 1000;

// Returns the page size to use for a request of `requested` entries; 0 means kDefaultPageSize.
// Returns kInvalidArgument with `page_size: got ...` if `requested` is out of range.
absl::StatusOr<size_t> PageSize(int32_t requested);

}  // namespace vrp
