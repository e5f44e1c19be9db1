// Exit codes of vrpctl.
#pragma once

#include "absl/status/status.h"

namespace vrp::client {

enum ExitCode : int {
  kExitDone = 0,  // also for a used-up budget
  kExitFailed = 1,
  kExitUsage = 2,  // wrong usage or input
  kExitUnreachable = 3,
  kExitRefused = 4,
  kExitNotFound = 5,
  kExitBusy = 6,
  kExitNoPlan = 7,  // no feasible plan, or unserved customers without a prize
  kExitInterrupted = 130,
};

// Returns the exit code of an error, never kExitInterrupted: kCancelled does not say who cancelled.
ExitCode ExitCodeFor(absl::StatusCode code);

}  // namespace vrp::client
