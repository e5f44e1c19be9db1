#include "tests/gpu/emulated/emulated_device.h"

namespace vrp::emulated {

bool WatchesAccesses() { return false; }

}  // namespace vrp::emulated
