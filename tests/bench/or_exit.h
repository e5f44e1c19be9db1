// How benchmarks take errors: they have no one to report to.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp {

// Says "PROGRAM: STATUS" on standard error and exits with code 1.
[[noreturn]] inline void Die(const absl::Status& status) {
  std::cerr << program_invocation_short_name << ": " << status << "\n";
  std::exit(1);
}

// The value, or Die.
template <typename T>
T Value(absl::StatusOr<T> value) {
  if (!value.ok()) Die(value.status());
  return *std::move(value);
}

}  // namespace vrp
