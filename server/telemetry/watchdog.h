// Finds work that takes far longer than expected. The watchdog only reports work and never stops
// it.
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

// A watchdog. Thread-safe. Beginning and ending a watch takes less than a microsecond.
class Watchdog {
 public:
  struct Work {
    std::string phase;     // for example "solve" or "training step"
    std::string owner;     // for example "trainingJobs/x"; may be empty
    absl::Duration limit;  // longest expected duration
  };
  // A watch over work, which lasts as long as the object. Must not outlive the watchdog.
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
    std::string owner;
    absl::Duration running_for;
    absl::Duration limit;
  };
  // Returns a function for callers without access to a Watchdog. The function watches work with a
  // limit of ten minutes. It must not outlive the watchdog.
  WatchFn AsFunction();
  // Returns the work that has passed its limit, or 2, 4, 8, ... times its limit, since the last
  // call.
  std::vector<Overdue> TakeOverdue(absl::Time now = SteadyNow());

 private:
  struct Entry {
    Work work;
    absl::Time begun;
    absl::Duration report_at;
  };

  absl::Mutex mutex_;
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<int64_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
