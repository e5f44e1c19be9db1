// Work that may find no memory.
#pragma once

#include <new>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace vrp {

// Calls `body`. kResourceExhausted: it found no memory, and left its work where it was. For threads
// of a pool, that may not throw: it would end the program; and where somebody waits for an answer.
inline absl::Status GuardMemory(absl::FunctionRef<void()> body) {
  try {
    body();
    return absl::OkStatus();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  }
}

}  // namespace vrp
