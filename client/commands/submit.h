// Submission of jobs.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "client/commands/command.h"

namespace vrp::client {

// Returns 128 random bits in hex, so that ids of two submissions never collide.
std::string FreshRequestId();

// Calls `create` and, while the daemon is unavailable, up to three times more within about 3 s,
// enough for its restart. The request id makes a repetition harmless if only the answer was lost.
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

// Warns after a failed and interrupted Submit that the daemon may have the job. Repeating with the
// same id tells without creating a second one.
void WarnIfUnknown(CommandContext& context, const std::string& request_id);

}  // namespace vrp::client
