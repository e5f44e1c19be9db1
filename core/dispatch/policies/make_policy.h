// Makes dispatch policies by name.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/dispatch/policies/sampling.h"
#include "core/dispatch/policy.h"
#include "core/dispatch/prize_model.h"
#include "core/dispatch/sampler.h"
#include "core/dispatch/site.h"

namespace vrp {

enum class DispatchPolicyKind { kGreedy, kLazy, kHorizon, kSampling, kModel };
// Returns "greedy", "lazy" and so on.
std::string_view DispatchPolicyName(DispatchPolicyKind kind);
std::optional<DispatchPolicyKind> ParseDispatchPolicy(std::string_view name);
// Whether the policy, or its model, draws requests to come.
bool NeedsSampler(DispatchPolicyKind kind);

struct DispatchPolicyRequest {
  DispatchPolicyKind kind = DispatchPolicyKind::kSampling;
  std::shared_ptr<const RequestSampler> sampler = nullptr;  // if NeedsSampler(kind)
  SamplingParameters sampling = {};
  std::shared_ptr<const PrizeModel> model = nullptr;  // of this site, if the kind is kModel
};

// Returns kInvalidArgument if a parameter is out of range, and kFailedPrecondition if a sampler or
// a model is needed and missing.
absl::StatusOr<std::unique_ptr<DispatchPolicy>> MakeDispatchPolicy(
    const DispatchSite& site, const DispatchPolicyRequest& request);

}  // namespace vrp
