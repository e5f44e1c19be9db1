// What the logic of an RPC knows of the call; no gRPC in it.
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "core/base/stop.h"

namespace vrp {

struct CallContext {
  absl::Time received;                           // when the request had arrived
  absl::Time deadline = absl::InfiniteFuture();  // the caller's
  // Set when the caller goes away; not null. Its wider one: the daemon stops, and wants the best
  // that there is so far.
  std::shared_ptr<const CancelFlag> cancel;
};

}  // namespace vrp
