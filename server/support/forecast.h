// What is known of work before it is done, and what follows for those behind it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/base/stop.h"

namespace vrp {

// Of one piece of work. By default nothing: it takes no time and may begin whenever it can.
struct Forecast {
  absl::Duration work = absl::ZeroDuration();  // at least so long
  absl::Time end = absl::InfinitePast();       // and until then, as a search with a budget does
  // After its thread has begun it, it waits so long for something else.
  absl::Duration further_wait = absl::ZeroDuration();
  absl::Time latest_begin = absl::InfiniteFuture();  // a later one is of no use

  std::shared_ptr<const CancelFlag> cancel = nullptr;  // once set, there is nothing left to do

  bool over() const { return cancel != nullptr && cancel->cancelled(); }
  absl::Time EndIfBegun(absl::Time at) const { return over() ? at : std::max(at + work, end); }
};

// When a thread is free for what comes after `queued` (in its order), if the threads are busy until
// `busy_until`, one entry a thread.
absl::Time FirstFree(std::span<const absl::Time> busy_until, std::span<const Forecast> queued,
                     absl::Time now);

// OK where work that would begin at `begin` is not too late, else kResourceExhausted: what was
// expected, and with a RetryInfo when such a request would find a thread in time. The reason is
// OVERLOADED. `waiting`: before it.
absl::Status CheckBegin(const Forecast& forecast, absl::Time begin, absl::Time now,
                        int64_t waiting);

}  // namespace vrp
