// Converts failed allocations to statuses.
#pragma once

#include <new>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace vrp {

// Calls `body`. Returns kResourceExhausted if `body` ran out of memory. The work of `body` is then
// incomplete. Serves pool threads, on which an exception would end the program, and RPCs, which
// must get a response.
inline absl::Status GuardMemory(absl::FunctionRef<void()> body) {
  try {
    body();
    return absl::OkStatus();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  }
}

}  // namespace vrp
