#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/app.h"
#include "client/support/interrupt.h"
#include "client/support/signal_thread.h"

namespace {

std::optional<int> TerminalWidth() {
  const char* term = std::getenv("TERM");
  if (isatty(STDOUT_FILENO) == 0 || term == nullptr || std::string_view(term) == "dumb")
    return std::nullopt;
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

int main(int argc, char** argv) {
  // gRPC's own log only repeats the statuses that gRPC returns.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  std::ios::sync_with_stdio(false);
  vrp::client::Interrupt interrupt;
  const vrp::client::SignalThread signals(interrupt);
  vrp::client::Environment environment{.in = std::cin,
                                       .out = std::cout,
                                       .err = std::cerr,
                                       .interrupt = interrupt,
                                       .terminal_width = TerminalWidth};
  return vrp::client::RunVrpctl(std::vector<std::string>(argv + std::min(argc, 1), argv + argc),
                                environment);
}
