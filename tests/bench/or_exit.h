// Handles errors of benchmarks, which cannot report errors to a caller.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp {

// Prints "PROGRAM: STATUS" to standard error and exits with code 1.
[[noreturn]] inline void Die(const absl::Status& status) {
  std::cerr << program_invocation_short_name << ": " << status << "\n";
  std::exit(1);
}

// Returns the value, or calls Die.
template <typename T>
T Value(absl::StatusOr<T> value) {
  if (!value.ok()) Die(value.status());
  return *std::move(value);
}

}  // namespace vrp
