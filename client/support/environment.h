// What a command touches of the process around it; tests bring their own.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <ostream>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/support/interrupt.h"

namespace vrp::client {

struct Environment {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  Interrupt& interrupt;
  // Columns of the terminal that `out` is; nothing where it is none.
  std::function<std::optional<int>()> terminal_width = [] { return std::nullopt; };
  std::function<absl::Time()> now = absl::Now;
};

}  // namespace vrp::client
