// Facts about a call for its handler, without gRPC.
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "core/base/stop.h"

namespace vrp {

// Times and cancellation of a call.
struct CallContext {
  absl::Time received;                           // when the request arrived
  absl::Time deadline = absl::InfiniteFuture();  // the caller's
  // Set when the caller cancels; not null. Its wider flag is set when the daemon shuts down and
  // wants the best result so far.
  std::shared_ptr<const CancelFlag> cancel;
};

}  // namespace vrp
