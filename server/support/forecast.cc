#include "server/support/forecast.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "server/convert/status_convert.h"

namespace vrp {
namespace {

constexpr absl::Duration kMinRetryDelay = absl::Milliseconds(50);
// Longest retry delay. Tasks may end earlier than forecast, so clients need not wait longer.
constexpr absl::Duration kMaxRetryDelay = absl::Minutes(1);

std::string MillisecondText(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Milliseconds(1)));
}

}  // namespace

absl::Time FirstFreeTime(std::span<const absl::Time> busy_until, std::span<const Forecast> queued,
                         absl::Time now) {
  std::vector<absl::Time> free;  // a heap with the earliest time first
  for (const absl::Time until : busy_until) free.push_back(std::max(until, now));
  std::make_heap(free.begin(), free.end(), std::greater<>());
  for (const Forecast& forecast : queued) {
    std::pop_heap(free.begin(), free.end(), std::greater<>());
    free.back() = forecast.EndIfStarted(free.back());
    std::push_heap(free.begin(), free.end(), std::greater<>());
  }
  return free.front();
}

absl::Status CheckStartTime(const Forecast& forecast, absl::Time start, absl::Time now,
                            int64_t waiting) {
  const absl::Time computes_at = start + forecast.wait_after_start;
  if (computes_at <= forecast.latest_start) return absl::OkStatus();
  const absl::Duration delay =
      std::clamp(computes_at - forecast.latest_start, kMinRetryDelay, kMaxRetryDelay);
  const absl::Status late = absl::ResourceExhaustedError(Concat(
      "busy: ", waiting, waiting == 1 ? " request is" : " requests are",
      " waiting; this one would start in about ", MillisecondText(computes_at - now),
      ", but its budget or deadline requires a start within ",
      MillisecondText(forecast.latest_start - now), "; try again in ", MillisecondText(delay)));
  return WithReason(WithRetry(late, delay), "OVERLOADED");
}

}  // namespace vrp
