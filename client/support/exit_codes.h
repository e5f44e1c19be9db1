// What vrpctl's exit code tells a script.
#pragma once

#include "absl/status/status.h"

namespace vrp::client {

enum ExitCode : int {
  kExitDone = 0,  // a used-up budget too
  kExitFailed = 1,
  kExitUsage = 2,  // wrong usage or input
  kExitUnreachable = 3,
  kExitRefused = 4,
  kExitNotFound = 5,
  kExitBusy = 6,
  kExitNoPlan = 7,  // no feasible plan, or unserved customers without a prize
  kExitInterrupted = 130,
};

// kExitInterrupted is not among them: that a call was cancelled says nothing about who did it.
ExitCode ExitCodeFor(absl::StatusCode code);

}  // namespace vrp::client
