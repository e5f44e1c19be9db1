// Reads statistics of this process from the kernel.
#pragma once

#include <cstdint>

namespace vrp {

struct ProcessFigures {
  int64_t resident_bytes = 0;
  double cpu_seconds = 0;  // total of all threads, user and system
  int32_t threads = 0;
  int32_t open_files = 0;
};

// Reads /proc/self. Fields that cannot be read stay 0.
ProcessFigures ReadProcessFigures();

}  // namespace vrp
