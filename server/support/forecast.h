// Forecasts of when queued work starts, from the known durations of the work before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/base/stop.h"

namespace vrp {

// The forecast of one task. By default the task takes no time and may start at any time.
struct Forecast {
  absl::Duration work = absl::ZeroDuration();  // least duration
  absl::Time end = absl::InfinitePast();       // earliest end, as of a search with a budget
  // Time that the started task waits for other resources, such as a network, before it computes.
  absl::Duration later_wait = absl::ZeroDuration();
  absl::Time latest_start = absl::InfiniteFuture();  // a later start of computing is useless

  std::shared_ptr<const CancelFlag> cancel = nullptr;  // once set, the task takes no time

  // Whether the task is cancelled.
  bool over() const { return cancel != nullptr && cancel->cancelled(); }
  absl::Time EndIfStarted(absl::Time at) const { return over() ? at : std::max(at + work, end); }
};

// Returns when a thread becomes free after all of `queued`, which start in this order. Each thread
// is busy until its entry in `busy_until`.
absl::Time FirstFreeTime(std::span<const absl::Time> busy_until, std::span<const Forecast> queued,
                         absl::Time now);

// Checks that a task that starts at `start` computes in time. kResourceExhausted with the reason
// OVERLOADED has a RetryInfo: after that time such a request would find a thread. `waiting` is the
// number of tasks before this one, for the message.
absl::Status CheckStartTime(const Forecast& forecast, absl::Time start, absl::Time now,
                            int64_t waiting);

}  // namespace vrp
