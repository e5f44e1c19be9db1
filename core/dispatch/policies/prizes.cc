#include "core/dispatch/policies/prizes.h"

#include <cstddef>
#include <string>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/dispatch/part_of_time.h"
#include "core/dispatch/plan_requests.h"
#include "core/dispatch/problem.h"

namespace vrp {
namespace {

constexpr double kModelShare = 0.4;  // largest share of the time for the model

}  // namespace

absl::StatusOr<Plan> PlanWithPrizes(const DispatchSite& site, const DispatchState& state,
                                    const std::vector<double>& prizes,
                                    const DecisionOptions& options,
                                    const std::vector<Plan>& initial) {
  const std::vector<bool> must_go = MustGo(site, state);
  std::vector<ProblemRequest> requests;
  for (size_t i = 0; i < state.requests.size(); ++i) {
    if (!must_go[i] && prizes[i] <= 0) continue;
    requests.push_back({.request = &state.requests[i], .prize = must_go[i] ? kNoLimit : prizes[i]});
  }
  return PlanNow(site, state, requests, options, initial);
}

absl::StatusOr<DispatchDecision> PrizePolicy::Decide(const DispatchState& state,
                                                     const DecisionOptions& options) const {
  DecisionOptions part = options;
  part.stop = PartOfTime(options.stop, kModelShare);
  VRP_ASSIGN_OR_RETURN(const std::vector<double> prizes, model_->Prizes(state, part));
  VRP_ASSIGN_OR_RETURN(Plan plan, PlanWithPrizes(site_, state, prizes, options));
  std::vector<std::string> reasons;
  reasons.reserve(prizes.size());
  for (const double prize : prizes) {
    reasons.push_back(Concat("serving it now is worth ", prize, ", less than its detour"));
  }
  return FinishDecision(site_, state, std::move(plan), std::move(reasons));
}

}  // namespace vrp
