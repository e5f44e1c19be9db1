// Forecasts when queued work starts, from the known durations of the work before it.
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
  absl::Duration work = absl::ZeroDuration();  // smallest duration
  absl::Time end = absl::InfinitePast();       // earliest end, as for a search with a budget
  // Time that the started task waits for other resources, such as a network, before it computes.
  absl::Duration wait_after_start = absl::ZeroDuration();
  absl::Time latest_start = absl::InfiniteFuture();  // latest useful start of the computation

  std::shared_ptr<const CancelFlag> cancel = nullptr;  // once set, the task takes no time

  // Whether the task is cancelled.
  bool cancelled() const { return cancel != nullptr && cancel->cancelled(); }
  absl::Time EndIfStarted(absl::Time at) const {
    return cancelled() ? at : std::max(at + work, end);
  }
};

// Returns the time at which a thread becomes free after all tasks in `queued`, which start in this
// order. Each thread is busy until its entry in `busy_until`, which must not be empty.
absl::Time FirstFreeTime(std::span<const absl::Time> busy_until, std::span<const Forecast> queued,
                         absl::Time now);

// Checks that a task that starts at `start` computes in time. If not, returns kResourceExhausted
// with the reason OVERLOADED and a RetryInfo. After this delay, which is at most one minute, such a
// request may find a thread.
// `waiting` is the number of tasks before this one, for the message.
absl::Status CheckStartTime(const Forecast& forecast, absl::Time start, absl::Time now,
                            int64_t waiting);

}  // namespace vrp
