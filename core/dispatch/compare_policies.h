// Replays one day under several policies and compares them with the plan made in hindsight.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/dispatch/day.h"
#include "core/dispatch/hindsight.h"
#include "core/dispatch/policy.h"
#include "core/dispatch/simulation.h"
#include "core/dispatch/site.h"

namespace vrp {

// A day under several policies.
struct PolicyComparison {
  std::vector<SimulatedDay> days = {};  // by policy
  // The best plan found when all requests are known. Absent without a time for it.
  std::optional<HindsightPlan> hindsight = {};
};

// Replays the day under each policy with the same options. Then plans it in hindsight for
// `hindsight_time`, starting from the plans of the policies, so that no policy that serves all
// requests has a lower cost. Returns the errors of SimulateDay and PlanInHindsight.
absl::StatusOr<PolicyComparison> ComparePolicies(const DispatchSite& site, const DispatchDay& day,
                                                 const std::vector<const DispatchPolicy*>& policies,
                                                 const SimulationOptions& options,
                                                 absl::Duration hindsight_time);

}  // namespace vrp
