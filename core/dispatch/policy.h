// The interface of dispatch policies.
#pragma once

#include "absl/status/statusor.h"
#include "core/dispatch/state.h"

namespace vrp {

// A rule that decides which of the waiting requests leave now, and on which routes. Implementations
// are immutable and thread-safe.
class DispatchPolicy {
 public:
  virtual ~DispatchPolicy() = default;
  // Decides. `state` must pass CheckState. The routes keep all rules of the site; a request that
  // must go is left out only if no vehicle at the depot can serve it. Blocks until options.stop or
  // the iterations are used up. Returns kCancelled if cancelled.
  virtual absl::StatusOr<DispatchDecision> Decide(const DispatchState& state,
                                                  const DecisionOptions& options) const = 0;
};

}  // namespace vrp
