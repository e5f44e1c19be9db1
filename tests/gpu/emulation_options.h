// Options of an emulated device (tests/gpu/emulated). A real device ignores them.
#pragma once

#include <cstdint>

namespace vrp::test {

struct EmulationOptions {
  int64_t shared_bytes = int64_t{227} << 10;  // available to a block
  int32_t multiprocessors = 4;
  uint64_t seed = 1;      // seed of the order in which threads run
  bool deferred = false;  // whether work begins only when the host waits for it
};

}  // namespace vrp::test
