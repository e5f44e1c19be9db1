// Ends the daemon with time for calls in flight to finish.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "core/base/stop.h"

namespace vrp {

// The drain of a daemon. Thread-safe.
class Drain {
 public:
  explicit Drain(absl::Duration limit) : limit_(limit) {}

  // Returns the flag that makes running searches return their best plan; never null. Run sets the
  // flag after a part of the drain, unless all calls have ended by then. Short searches can finish
  // until then, and large answers can still be sent afterwards.
  const std::shared_ptr<CancelFlag>& searches_end() const { return searches_end_; }
  // Whether the drain is over, so that gRPC has cancelled the remaining calls (UNAVAILABLE).
  bool over() const;

  // Calls `close` with the time that calls have to finish. Blocks until `close` returns, when no
  // call is left. Call this once.
  void Run(absl::FunctionRef<void(absl::Duration limit)> close);

 private:
  const absl::Duration limit_;
  const std::shared_ptr<CancelFlag> searches_end_ = std::make_shared<CancelFlag>();
  std::atomic<int64_t> over_at_ns_{INT64_MAX};  // on SteadyNow's clock
};

}  // namespace vrp
