// What the commands that create jobs share.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "client/commands/command.h"

namespace vrp::client {

// 128 random bits, so that two submissions never meet by chance.
std::string FreshRequestId();

// The request's id makes a repetition of `create` harmless where the answer was lost. About 3 s in
// all: a daemon that is restarted is back by then, and one that is not there is reported soon.
template <typename Create>
auto Submit(CommandContext& context, Create create) {
  auto job = create();
  for (const int wait_ms : {300, 900, 1800}) {
    if (job.status().code() != absl::StatusCode::kUnavailable) break;
    if (context.environment().interrupt.WaitFor(absl::Milliseconds(wait_ms))) break;
    job = create();
  }
  return job;
}

// After a failed Submit: an interrupt leaves open whether the daemon has the job; the same id finds
// out without making a second one.
void SayIfUnknown(CommandContext& context, const std::string& request_id);

}  // namespace vrp::client
