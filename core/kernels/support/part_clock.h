// Counts how many cycles each part of a pass takes, for benchmarks. Not thread-safe.
#pragma once

#include <x86intrin.h>

#include <cstdint>

namespace vrp {

// Adds cycles of the time-stamp counter to members of `Parts`, each an int64_t. Does nothing if
// constructed from null. All functions are always inline, because code for several instruction sets
// includes this (core/kernels/simd/vec.h).
template <typename Parts>
class PartClock {
 public:
  inline __attribute__((always_inline)) explicit PartClock(Parts* parts) : parts_(parts) {
    if (parts_ != nullptr) begin_ = Now();
  }
  // Adds the cycles since the last call, or since the construction, to `part`.
  inline __attribute__((always_inline)) void Stop(int64_t Parts::*part) {
    if (parts_ == nullptr) return;
    const int64_t now = Now();
    parts_->*part += now - begin_;
    begin_ = now;
  }

 private:
  static inline __attribute__((always_inline)) int64_t Now() {
    return static_cast<int64_t>(__rdtsc());
  }
  Parts* const parts_;
  int64_t begin_ = 0;
};

}  // namespace vrp
