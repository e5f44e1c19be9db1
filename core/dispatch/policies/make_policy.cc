#include "core/dispatch/policies/make_policy.h"

#include <array>
#include <cstddef>

#include "core/base/text.h"
#include "core/dispatch/policies/fixed.h"
#include "core/dispatch/policies/horizon.h"
#include "core/dispatch/policies/prizes.h"

namespace vrp {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 5> kNames = {"greedy", "lazy", "horizon", "sampling",
                                                    "model"};

absl::Status CheckSampling(const SamplingParameters& parameters) {
  if (parameters.rounds < 1 || parameters.scenarios < 1 || parameters.lookahead < 0) {
    return absl::InvalidArgumentError(
        "sampling: rounds and scenarios must be at least 1, lookahead at least 0");
  }
  const auto is_share = [](double value) { return value >= 0 && value <= 1; };
  if (!is_share(parameters.dispatch_share) || !is_share(parameters.postpone_share) ||
      !is_share(parameters.scenario_share) ||
      parameters.postpone_share > parameters.dispatch_share) {
    return absl::InvalidArgumentError(
        "sampling: shares must be 0 to 1, and postpone_share at most dispatch_share");
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view DispatchPolicyName(DispatchPolicyKind kind) {
  return kNames[static_cast<size_t>(kind)];
}

std::optional<DispatchPolicyKind> ParseDispatchPolicy(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<DispatchPolicyKind>(i);
  }
  return std::nullopt;
}

bool NeedsSampler(DispatchPolicyKind kind) {
  return kind == DispatchPolicyKind::kHorizon || kind == DispatchPolicyKind::kSampling ||
         kind == DispatchPolicyKind::kModel;
}

absl::StatusOr<std::unique_ptr<DispatchPolicy>> MakeDispatchPolicy(
    const DispatchSite& site, const DispatchPolicyRequest& request) {
  if (NeedsSampler(request.kind) && request.sampler == nullptr) {
    return absl::FailedPreconditionError(
        Concat("policy: ", DispatchPolicyName(request.kind),
               " draws requests to come; give their distribution or a request log"));
  }
  switch (request.kind) {
    case DispatchPolicyKind::kGreedy:
      return std::make_unique<GreedyPolicy>(site);
    case DispatchPolicyKind::kLazy:
      return std::make_unique<LazyPolicy>(site);
    case DispatchPolicyKind::kHorizon:
      return std::make_unique<HorizonPolicy>(site, request.sampler);
    case DispatchPolicyKind::kModel:
      if (request.model == nullptr) {
        return absl::FailedPreconditionError(
            "policy: model needs a trained dispatch model; name one");
      }
      return std::make_unique<PrizePolicy>(site, request.model);
    case DispatchPolicyKind::kSampling:
      break;
  }
  if (absl::Status status = CheckSampling(request.sampling); !status.ok()) return status;
  return std::make_unique<SamplingPolicy>(site, request.sampler, request.sampling);
}

}  // namespace vrp
