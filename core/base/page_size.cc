#include "core/base/page_size.h"

#include "core/base/text.h"

namespace vrp {

absl::StatusOr<size_t> PageSize(int32_t asked) {
  if (asked >= 0 && asked <= kMaxPageSize) {
    return static_cast<size_t>(asked == 0 ? kDefaultPageSize : asked);
  }
  return absl::InvalidArgumentError(Concat("page_size: got ", asked, ", wanted 1 to ", kMaxPageSize,
                                           ", or 0 for ", kDefaultPageSize));
}

}  // namespace vrp
