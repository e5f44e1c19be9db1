#include "server/support/forecast.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "server/convert/status_convert.h"

namespace vrp {
namespace {

constexpr absl::Duration kLeastDelay = absl::Milliseconds(50);
// What is expected is the most that the work before can take.
constexpr absl::Duration kMostDelay = absl::Minutes(1);

std::string Shown(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Milliseconds(1)));
}

}  // namespace

absl::Time FirstFree(std::span<const absl::Time> busy_until, std::span<const Forecast> queued,
                     absl::Time now) {
  std::vector<absl::Time> free;  // a heap, the soonest first
  for (const absl::Time until : busy_until) free.push_back(std::max(until, now));
  std::make_heap(free.begin(), free.end(), std::greater<>());
  for (const Forecast& forecast : queued) {
    std::pop_heap(free.begin(), free.end(), std::greater<>());
    free.back() = forecast.EndIfBegun(free.back());
    std::push_heap(free.begin(), free.end(), std::greater<>());
  }
  return free.front();
}

absl::Status CheckBegin(const Forecast& forecast, absl::Time begin, absl::Time now,
                        int64_t waiting) {
  const absl::Time useful = begin + forecast.further_wait;
  if (useful <= forecast.latest_begin) return absl::OkStatus();
  const absl::Duration delay = std::clamp(useful - forecast.latest_begin, kLeastDelay, kMostDelay);
  const absl::Status late = absl::ResourceExhaustedError(
      Concat("busy: ", waiting, " requests are waiting, and this one would begin in about ",
             Shown(useful - now), ", after the ", Shown(forecast.latest_begin - now),
             " that its budget or deadline leaves; try again in ", Shown(delay)));
  return WithReason(WithRetry(late, delay), "OVERLOADED");
}

}  // namespace vrp
