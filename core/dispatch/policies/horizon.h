// The rolling horizon: plans one scenario of the rest of the day.
#pragma once

#include <memory>
#include <utility>

#include "core/dispatch/policy.h"
#include "core/dispatch/sampler.h"

namespace vrp {

// Plans the waiting requests together with one draw of those to come, then dispatches the requests
// of the routes that leave now, and those that must go (Baty et al. 2024, arXiv 2304.00789, section
// 5: rolling horizon). Without a draw, all routes leave now.
class HorizonPolicy : public DispatchPolicy {
 public:
  HorizonPolicy(DispatchSite site, std::shared_ptr<const RequestSampler> sampler)
      : site_(std::move(site)), sampler_(std::move(sampler)) {}
  absl::StatusOr<DispatchDecision> Decide(const DispatchState& state,
                                          const DecisionOptions& options) const override;

 private:
  const DispatchSite site_;
  const std::shared_ptr<const RequestSampler> sampler_;
};

}  // namespace vrp
