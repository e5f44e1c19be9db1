#include "server/support/call_authorizer.h"

#include <string>

#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "server/support/logging.h"

namespace vrp {

absl::Status CallAuthorizer::Check(const Caller& caller) {
  const AccessVerdict verdict = access_.Check(caller.method, caller.authorization);
  if (verdict.status.ok()) return absl::OkStatus();
  const std::string code = absl::StatusCodeToString(verdict.status.code());
  metrics_.CountRefusedCall(code, verdict.reason);
  const std::optional<int64_t> suppressed = log_limiter_.Pass(SteadyNow());
  if (suppressed.has_value()) {
    constexpr size_t kShownBytes = 120;
    const auto truncated = [](std::string_view text) {
      return std::string(text.substr(0, kShownBytes));
    };
    LogWarning("call refused",
               {{.name = "code", .value = code},
                {.name = "reason", .value = std::string(verdict.reason)},
                {.name = "rpc", .value = truncated(caller.method)},
                {.name = "peer", .value = truncated(caller.peer)},
                {.name = "user_agent", .value = truncated(caller.user_agent)},
                {.name = "not_logged", .value = Concat(*suppressed), .number = true}});
  }
  return verdict.status;
}

}  // namespace vrp
