// Signals the user's interrupt (Ctrl-C, SIGTERM) to all code that waits.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "absl/time/time.h"

namespace vrp::client {

// A flag that is set once and wakes all waiters. Thread-safe.
class Interrupt {
 public:
  // A registered callback. The constructor also runs the callback if the interrupt came before.
  // Must not outlive the Interrupt.
  class Handle {
   public:
    Handle(Interrupt& interrupt, std::function<void()> callback);
    // Blocks while the callback runs.
    ~Handle();
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

   private:
    Interrupt& interrupt_;
    int64_t key_;
  };

  // Sets the flag and runs the callbacks in the calling thread. The callbacks must be quick and
  // must not use this object. Later calls do nothing.
  void Trigger();
  bool triggered() const;
  // Blocks until triggered or for `duration`. Returns triggered().
  bool WaitFor(absl::Duration duration) const;

 private:
  // A mutex of the standard library, because Abseil's waits follow the machine's clock. Such waits
  // last an hour longer if the clock is set back an hour.
  mutable std::mutex mutex_;  // guards all further fields
  mutable std::condition_variable changed_;
  bool triggered_ = false;
  int64_t next_key_ = 0;
  std::map<int64_t, std::function<void()>> callbacks_;
};

}  // namespace vrp::client
