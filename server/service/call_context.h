// Describes a call to its handler, without gRPC.
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "core/base/stop.h"
#include "server/roads/road_source.h"

namespace vrp {

// Times and cancellation of a call.
struct CallContext {
  absl::Time received;                           // arrival of the request
  absl::Time deadline = absl::InfiniteFuture();  // the caller's deadline
  // Set when the caller cancels; never null. At shutdown the daemon sets the parent flag, so that
  // searches return their best plan.
  std::shared_ptr<const CancelFlag> cancel;
  RoadSource* roads = nullptr;  // used instead of the daemon's road networks; optional

  // Returns the condition that ends requests to services: before the deadline, so that the error or
  // the response arrives in time.
  StopCondition stop() const { return {deadline - absl::Milliseconds(20), cancel}; }
};

}  // namespace vrp
