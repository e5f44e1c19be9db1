// That the user wants out: set once by Ctrl-C or SIGTERM, then seen by everything that waits.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "absl/time/time.h"

namespace vrp::client {

// Thread-safe.
class Interrupt {
 public:
  // Keeps a callback registered for as long as it lives. Must not outlive the Interrupt.
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

  // Runs the callbacks in the calling thread; they must be quick and must not touch this object.
  // Later calls do nothing.
  void Trigger();
  bool triggered() const;
  // Blocks until triggered, at most for `duration`; returns triggered().
  bool WaitFor(absl::Duration duration) const;

 private:
  // Not Abseil's, whose waits end by the machine's clock: set back by an hour, they last an hour
  // longer.
  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable changed_;
  bool triggered_ = false;
  int64_t next_key_ = 0;
  std::map<int64_t, std::function<void()>> callbacks_;
};

}  // namespace vrp::client
