// Dispatch by learned prizes.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/dispatch/policy.h"
#include "core/dispatch/prize_model.h"

namespace vrp {

// Plans routes that leave now with all requests that must go, and with those of the others whose
// prize is worth the detour: minimises cost plus lost prizes by search. `prizes` has one entry per
// request. `initial` are plans to start from, of indexes of requests. Returns kCancelled if
// options.stop is cancelled.
absl::StatusOr<Plan> PlanWithPrizes(const DispatchSite& site, const DispatchState& state,
                                    const std::vector<double>& prizes,
                                    const DecisionOptions& options,
                                    const std::vector<Plan>& initial = {});

// Asks a model for prizes, then plans with them (Baty, Jungel, Klein, Parmentier, Schiffer 2024,
// arXiv 2304.00789, section 3).
class PrizePolicy : public DispatchPolicy {
 public:
  PrizePolicy(DispatchSite site, std::shared_ptr<const PrizeModel> model)
      : site_(std::move(site)), model_(std::move(model)) {}
  absl::StatusOr<DispatchDecision> Decide(const DispatchState& state,
                                          const DecisionOptions& options) const override;

 private:
  const DispatchSite site_;
  const std::shared_ptr<const PrizeModel> model_;
};

}  // namespace vrp
