#include "core/dispatch/policies/fixed.h"

#include <string>
#include <vector>

#include "core/dispatch/plan_requests.h"

namespace vrp {

absl::StatusOr<DispatchDecision> GreedyPolicy::Decide(const DispatchState& state,
                                                      const DecisionOptions& options) const {
  const size_t count = state.requests.size();
  return PlanRequests(site_, state, std::vector<bool>(count, true),
                      std::vector<std::string>(count, "no vehicle at the depot can take it now"),
                      options);
}

absl::StatusOr<DispatchDecision> LazyPolicy::Decide(const DispatchState& state,
                                                    const DecisionOptions& options) const {
  return PlanRequests(
      site_, state, MustGo(site_, state),
      std::vector<std::string>(state.requests.size(), "it can still leave at the next decision"),
      options);
}

}  // namespace vrp
