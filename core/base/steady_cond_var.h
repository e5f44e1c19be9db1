// A condition variable whose timeouts use monotonic time.
#pragma once

#include <algorithm>
#include <condition_variable>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace vrp {

// A condition variable for an absl::Mutex. Abseil's own waits (such as AwaitWithTimeout) use the
// machine's clock. If an administrator sets the clock back by an hour, these waits last an hour
// longer, even with a zero timeout. Thread-safe.
class SteadyCondVar {
 public:
  // Wakes all waiters. Must be called after any change that may make a condition true.
  void NotifyAll() { changed_.notify_all(); }

  // Blocks until `holds()` is true or `timeout` has passed. Returns whether `holds()` is true.
  // Calls `holds` with `mutex` held. Abseil's Await serves waits without a timeout.
  template <typename Holds>
  bool WaitFor(absl::Mutex* mutex, absl::Duration timeout, const Holds& holds)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Lockable lockable{mutex};
    return changed_.wait_for(lockable, absl::ToChronoNanoseconds(std::min(timeout, kLongest)),
                             holds);
  }

 private:
  static constexpr absl::Duration kLongest =
      absl::Hours(24 * 365);  // now + kLongest must not overflow

  // A mutex with the functions that std::condition_variable_any calls.
  struct Lockable {
    void lock() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex->Lock(); }
    void unlock() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex->Unlock(); }
    absl::Mutex* mutex;
  };

  std::condition_variable_any changed_;
};

}  // namespace vrp
