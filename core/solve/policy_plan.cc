#include "core/solve/policy_plan.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/problem/checker.h"

namespace vrp {

absl::StatusOr<DecodedPlan> PolicyPlan(Policy& policy, const Instance& instance,
                                       const DecodeOptions& options) {
  VRP_RETURN_IF_ERROR(policy.Supports(instance));
  VRP_ASSIGN_OR_RETURN(std::vector<DecodedPlan> plans,
                       policy.Decode(std::span(&instance, 1), options));
  const std::string& architecture = policy.info().architecture;
  if (plans.size() != 1) {
    return absl::InternalError(absl::StrCat("policy ", architecture, " gave ", plans.size(),
                                            " plans for one instance, wanted 1"));
  }
  const CheckReport report = CheckPlan(instance, plans[0].plan);
  if (!report.feasible) {
    return absl::InternalError(absl::StrCat(
        "policy ", architecture, " gave an infeasible plan with ", report.violations.size(),
        " violations, the first: ", report.violations.front().message));
  }
  return std::move(plans[0]);
}

}  // namespace vrp
