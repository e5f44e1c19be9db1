#include "core/dispatch/policies/sampling.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/dispatch/part_of_time.h"
#include "core/dispatch/plan_requests.h"
#include "core/dispatch/scenario.h"

namespace vrp {
namespace {

enum class Verdict { kOpen, kDispatch, kPostpone };

// The state of one decision.
class Rounds {
 public:
  Rounds(const DispatchSite& site, const DispatchState& state, const RequestSampler& sampler,
         const SamplingParameters& parameters)
      : site_(site), state_(state), sampler_(sampler), parameters_(parameters) {
    for (const bool must_go : MustGo(site, state)) {
      verdicts_.push_back(must_go ? Verdict::kDispatch : Verdict::kOpen);
    }
    counts_.assign(verdicts_.size(), 0);
    reasons_.resize(verdicts_.size());
  }

  // Plans the scenarios of one round, at least one, and fixes requests by them. Plans fewer than
  // `scenarios` if the time is used up.
  absl::Status Run(int32_t round, const DecisionOptions& options) {
    std::fill(counts_.begin(), counts_.end(), 0);
    std::vector<bool> postponed(verdicts_.size());
    for (size_t i = 0; i < postponed.size(); ++i) postponed[i] = verdicts_[i] == Verdict::kPostpone;
    int32_t planned = 0;
    for (int32_t k = 0; k < parameters_.scenarios; ++k) {
      // Even a search without time takes milliseconds to build a plan.
      if (k > 0 && options.stop.ShouldStop()) break;
      DecisionOptions one = options;
      one.stop = PartOfTime(options.stop, 1.0 / (parameters_.scenarios - k));
      one.seed = options.seed + static_cast<uint64_t>(round) * parameters_.scenarios + k;
      VRP_ASSIGN_OR_RETURN(
          const ScenarioPlan plan,
          PlanScenario(site_, state_, sampler_, parameters_.lookahead, postponed, one));
      for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += plan.leaves_now[i] ? 1 : 0;
      ++planned;
    }
    planned_ += planned;
    Fix(planned);
    return absl::OkStatus();
  }

  bool AllAreFixed() const {
    return std::none_of(verdicts_.begin(), verdicts_.end(),
                        [](Verdict verdict) { return verdict == Verdict::kOpen; });
  }
  std::vector<bool> Dispatched() const {
    std::vector<bool> chosen;
    for (const Verdict verdict : verdicts_) chosen.push_back(verdict == Verdict::kDispatch);
    return chosen;
  }
  // Returns the number of scenarios of all rounds.
  int32_t Planned() const { return planned_; }
  const std::vector<std::string>& Reasons() const { return reasons_; }

 private:
  void Fix(int32_t planned) {
    for (size_t i = 0; i < verdicts_.size(); ++i) {
      if (verdicts_[i] != Verdict::kOpen) continue;
      const double share = static_cast<double>(counts_[i]) / planned;
      if (share > parameters_.dispatch_share) verdicts_[i] = Verdict::kDispatch;
      if (share < parameters_.postpone_share) verdicts_[i] = Verdict::kPostpone;
      reasons_[i] = Concat("it leaves now in ", counts_[i], " of ", planned, " scenarios");
    }
  }

  const DispatchSite& site_;
  const DispatchState& state_;
  const RequestSampler& sampler_;
  const SamplingParameters& parameters_;
  std::vector<Verdict> verdicts_;
  std::vector<int32_t> counts_;  // scenarios of the round in which each request leaves now
  std::vector<std::string> reasons_;
  int32_t planned_ = 0;
};

}  // namespace

absl::StatusOr<DispatchDecision> SamplingPolicy::Decide(const DispatchState& state,
                                                        const DecisionOptions& options) const {
  Rounds rounds(site_, state, *sampler_, parameters_);
  DecisionOptions part = options;
  const StopCondition sampling = PartOfTime(options.stop, parameters_.scenario_share);
  for (int32_t round = 0; round < parameters_.rounds && !rounds.AllAreFixed(); ++round) {
    if (round > 0 && sampling.ShouldStop()) break;
    part.stop = PartOfTime(sampling, 1.0 / (parameters_.rounds - round));
    VRP_RETURN_IF_ERROR(rounds.Run(round, part));
  }
  VRP_ASSIGN_OR_RETURN(DispatchDecision decision,
                       PlanRequests(site_, state, rounds.Dispatched(), rounds.Reasons(), options));
  decision.scenarios = rounds.Planned();
  return decision;
}

}  // namespace vrp
