// Flags that decide whether conditional parts of a captured step run.
#pragma once

#include <cstdint>

namespace vrp {

// Flags in the device's memory, each 0 or 1. The conditional part runs if at least one is 1.
struct StepFlags {
  const uint8_t* flags = nullptr;
  int64_t count = 0;
};

}  // namespace vrp
