#include "core/base/page_size.h"

#include "core/base/text.h"

namespace vrp {

absl::StatusOr<size_t> PageSize(int32_t requested) {
  if (requested >= 0 && requested <= kMaxPageSize) {
    return static_cast<size_t>(requested == 0 ? kDefaultPageSize : requested);
  }
  return absl::InvalidArgumentError(Concat("page_size: got ", requested, ", wanted 1 to ",
                                           kMaxPageSize, ", or 0 for ", kDefaultPageSize));
}

}  // namespace vrp
