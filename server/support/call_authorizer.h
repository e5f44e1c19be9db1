// Authorizes calls, with metrics and a log of refused ones.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "server/access/access_control.h"
#include "server/support/log_rate_limiter.h"
#include "server/support/metrics.h"

namespace vrp {

// A checker of calls by AccessControl. Counts refused calls and logs at most one per second,
// without its token. Thread-safe.
class CallAuthorizer {
 public:
  // Both arguments must outlive the authorizer.
  CallAuthorizer(const AccessControl& access, Metrics& metrics)
      : access_(access), metrics_(metrics) {}

  struct Caller {
    std::string_view method;  // path such as "/vrp.v1.SolverService/Solve"; see RequiredRole
    std::optional<std::string_view> authorization;
    std::string_view user_agent;
    // The name in the client's certificate (gRPC), or the client's address (HTTP). May be empty.
    std::string_view peer;
  };
  // Returns the status of AccessControl::Check.
  absl::Status Check(const Caller& caller);

 private:
  const AccessControl& access_;
  Metrics& metrics_;
  LogRateLimiter log_limiter_{absl::Seconds(1)};
};

}  // namespace vrp
