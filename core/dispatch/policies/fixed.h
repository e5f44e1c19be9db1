// Policies that look neither at the future nor at costs.
#pragma once

#include <utility>

#include "core/dispatch/policy.h"

namespace vrp {

// Dispatches every waiting request.
class GreedyPolicy : public DispatchPolicy {
 public:
  explicit GreedyPolicy(DispatchSite site) : site_(std::move(site)) {}
  absl::StatusOr<DispatchDecision> Decide(const DispatchState& state,
                                          const DecisionOptions& options) const override;

 private:
  const DispatchSite site_;
};

// Dispatches only the requests that must go.
class LazyPolicy : public DispatchPolicy {
 public:
  explicit LazyPolicy(DispatchSite site) : site_(std::move(site)) {}
  absl::StatusOr<DispatchDecision> Decide(const DispatchState& state,
                                          const DecisionOptions& options) const override;

 private:
  const DispatchSite site_;
};

}  // namespace vrp
