// What recorded work depends on.
#pragma once

#include <cstdint>

namespace vrp {

// On the device: 0 and 1.
struct StepFlags {
  const uint8_t* flags = nullptr;
  int64_t count = 0;
};

}  // namespace vrp
