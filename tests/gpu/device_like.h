// What a test wants of a device where that is emulated (tests/gpu/emulated). A real one is what it
// is.
#pragma once

#include <cstdint>

namespace vrp::test {

struct DeviceLike {
  int64_t shared_bytes = int64_t{227} << 10;  // that a block may have
  int32_t multiprocessors = 4;
  uint64_t seed = 1;      // of the order in which threads go on
  bool deferred = false;  // work begins when someone waits for it
};

}  // namespace vrp::test
