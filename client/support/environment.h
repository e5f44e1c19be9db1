// Access to the process: streams, interrupt, terminal and clock. Tests replace all of these.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <ostream>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/support/interrupt.h"

namespace vrp::client {

// The parts of the process that a command uses. All references outlive the command.
struct Environment {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  Interrupt& interrupt;
  // Returns the terminal's number of columns; nullopt if `out` is no terminal.
  std::function<std::optional<int>()> terminal_width = [] { return std::nullopt; };
  std::function<absl::Time()> now = absl::Now;
};

}  // namespace vrp::client
