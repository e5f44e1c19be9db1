// Waits with a timeout that the machine's clock does not touch.
#pragma once

#include <algorithm>
#include <condition_variable>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace vrp {

// For an absl::Mutex, whose own waits (AwaitWithTimeout and the like) end by the machine's clock:
// set back by an hour, they last an hour longer, even those of no time at all. Thread-safe.
class SteadyCondVar {
 public:
  // After whatever may have made a condition true.
  void NotifyAll() { changed_.notify_all(); }

  // Blocks until `holds()`, which is asked under `mutex`, at most `timeout`; returns whether it
  // does. Without a timeout Abseil's own Await does well.
  template <typename Holds>
  bool WaitFor(absl::Mutex* mutex, absl::Duration timeout, const Holds& holds)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Lockable lockable{mutex};
    return changed_.wait_for(lockable, absl::ToChronoNanoseconds(std::min(timeout, kLongest)),
                             holds);
  }

 private:
  static constexpr absl::Duration kLongest = absl::Hours(24 * 365);  // added to now, it must fit

  struct Lockable {
    void lock() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex->Lock(); }
    void unlock() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex->Unlock(); }
    absl::Mutex* mutex;
  };

  std::condition_variable_any changed_;
};

}  // namespace vrp
