// Who is let in, and who is told of those who are not.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "server/access/access_control.h"
#include "server/support/log_gate.h"
#include "server/support/metrics.h"

namespace vrp {

// What it refuses is counted, and logged once a second at most, without the token. Thread-safe.
class Gatekeeper {
 public:
  // Both outlive it.
  Gatekeeper(const AccessControl& access, Metrics& metrics) : access_(access), metrics_(metrics) {}

  struct Caller {
    std::string_view method;  // as RoleNeeded has it
    std::optional<std::string_view> authorization;
    std::string_view user_agent;
    std::string_view peer;  // what is known of who it is
  };
  // As AccessControl::Check.
  absl::Status Check(const Caller& caller);

 private:
  const AccessControl& access_;
  Metrics& metrics_;
  LogGate log_gate_{absl::Seconds(1)};
};

}  // namespace vrp
