// Memory for large arrays.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace vrp {

// Returns an empty vector with room for `size` values, in huge pages where the system grants them:
// the first write to each small page costs about as much as 1,000 further ones.
template <typename T>
std::vector<T> ReserveInHugePages(size_t size) {
  constexpr size_t kHugePage = size_t{2} << 20;
  std::vector<T> values;
  values.reserve(size);
  void* begin = values.data();
  size_t bytes = size * sizeof(T);
  if (std::align(kHugePage, kHugePage, begin, bytes) != nullptr) {
    madvise(begin, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);  // only a hint
  }
  return values;
}

}  // namespace vrp
