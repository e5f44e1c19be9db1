// Submits jobs.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "client/commands/command.h"

namespace vrp::client {

// Returns 128 random bits in hex, so that the ids of two submissions do not collide.
std::string NewRequestId();

// Calls `create` and returns its result. While the daemon is unavailable, retries up to three times
// with pauses of 3 s in total, which are enough for a restart. An interrupt ends the retries. The
// request id makes a repetition harmless if only the response was lost.
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

// Warns after a failed and interrupted Submit that the daemon may have the job. Repeating the
// command with the same id shows whether it has, without creating a second job.
void WarnIfSubmissionUnknown(CommandContext& context, const std::string& request_id);

}  // namespace vrp::client
