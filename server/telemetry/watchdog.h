// Notices work that takes far longer than it should. It only tells: nothing is killed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/base/watch.h"

namespace vrp {

// Thread-safe. To begin and to end costs less than a microsecond.
class Watchdog {
 public:
  struct Work {
    std::string phase;     // "solve", "training step"
    std::string of;        // whose: "trainingJobs/x"; may be empty
    absl::Duration limit;  // beyond it something is wrong
  };
  // Watched as long as it lives; must not outlive the watchdog.
  class Watch {
   public:
    Watch(Watchdog& watchdog, Work work, absl::Time now = SteadyNow());
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Watchdog& watchdog_;
    int64_t number_;
  };

  struct Overdue {
    std::string phase;
    std::string of;
    absl::Duration so_far;
    absl::Duration limit;
  };
  // For who knows no watchdog: work that takes minutes at most. Must not outlive the watchdog.
  WatchFn AsFunction();
  // What is beyond its limit, or beyond twice, four times, ... of it since it was last told.
  std::vector<Overdue> Look(absl::Time now = SteadyNow());

 private:
  struct Entry {
    Work work;
    absl::Time begun;
    absl::Duration tell_at;
  };

  absl::Mutex mutex_;
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<int64_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
