// Runs a function on several threads at once.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace vrp {

// Calls body(0) on this thread and each of body(1) to body(threads - 1) on a thread of its own.
// `threads` must be at least 1. Makes fewer calls if the system cannot start that many threads.
// Blocks until all calls have ended, then throws the exception of the lowest call that threw.
// Returns the number of calls.
int32_t RunOnThreads(int32_t threads, absl::FunctionRef<void(int32_t)> body);

}  // namespace vrp
