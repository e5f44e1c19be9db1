// Exit codes of vrpctl.
#pragma once

#include "absl/status/status.h"

namespace vrp::client {

// The exit code of a command.
enum ExitCode : int {
  kExitDone = 0,  // also if the budget is used up
  kExitFailed = 1,
  kExitUsage = 2,  // wrong usage or input
  kExitUnreachable = 3,
  kExitRefused = 4,
  kExitNotFound = 5,
  kExitBusy = 6,
  kExitNoPlan = 7,  // no feasible plan, or unserved customers without a prize
  kExitInterrupted = 130,
};

// Returns the exit code of an error. Never returns kExitInterrupted, because kCancelled does not
// say who cancelled.
ExitCode ExitCodeFor(absl::StatusCode code);

}  // namespace vrp::client
