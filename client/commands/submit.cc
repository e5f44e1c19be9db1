#include "client/commands/submit.h"

#include <random>

#include "absl/strings/str_format.h"

namespace vrp::client {

std::string NewRequestId() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) absl::StrAppendFormat(&id, "%08x", random());
  return id;
}

void WarnIfSubmissionUnknown(CommandContext& context, const std::string& request_id) {
  if (!context.environment().interrupt.triggered()) return;
  context.err() << "the job may have been submitted; to find out, repeat with --request-id "
                << request_id << std::endl;
}

}  // namespace vrp::client
