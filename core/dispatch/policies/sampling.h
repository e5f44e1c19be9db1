// Iterative conditional dispatch: decides by scenarios.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/dispatch/policy.h"
#include "core/dispatch/sampler.h"

namespace vrp {

// Parameters of the sampling policy.
struct SamplingParameters {
  int32_t rounds = 2;     // rounds of scenarios, each given the decisions of the earlier ones
  int32_t scenarios = 8;  // scenarios per round
  int32_t lookahead = 1;  // decisions after this one whose requests are drawn
  // Shares of the scenarios from which a request is dispatched or postponed: it is dispatched if it
  // leaves now in more than the first, postponed if it does in less than the second.
  double dispatch_share = 0.4;
  double postpone_share = 0.15;
  double scenario_share = 0.7;  // share of the time for all scenarios
};

// Draws scenarios of the requests to come, plans each by a short search, and fixes the requests
// that many plans agree about; then again, given those. Requests about which the last round does
// not agree wait (Lan, van Doorn, Wouda, Rijal, Bhulai 2024: "An iterative sample scenario approach
// for the dynamic dispatch waves problem", Transportation Science: the variant with thresholds).
// With one round and equal thresholds it is like the strategy `simulate` of the OptiML team of EURO
// meets NeurIPS 2022, but with the same thresholds at all decisions.
class SamplingPolicy : public DispatchPolicy {
 public:
  SamplingPolicy(DispatchSite site, std::shared_ptr<const RequestSampler> sampler,
                 const SamplingParameters& parameters)
      : site_(std::move(site)), sampler_(std::move(sampler)), parameters_(parameters) {}
  absl::StatusOr<DispatchDecision> Decide(const DispatchState& state,
                                          const DecisionOptions& options) const override;

 private:
  const DispatchSite site_;
  const std::shared_ptr<const RequestSampler> sampler_;
  const SamplingParameters parameters_;
};

}  // namespace vrp
