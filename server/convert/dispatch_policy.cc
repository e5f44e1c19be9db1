#include "server/convert/dispatch_policy.h"

#include <algorithm>
#include <cstdint>

#include "core/base/text.h"
#include "server/convert/names.h"

namespace vrp {
namespace {

constexpr int32_t kMaxRoundsOfScenarios = 100;
constexpr int32_t kMaxScenarios = 1'000;
constexpr int32_t kMaxLookahead = 1'000;

}  // namespace

DispatchPolicySettings PolicyFromProto(v1::DispatchPolicy policy, bool has_sampling, bool has_model,
                                       const std::string& field, ViolationList& invalid) {
  switch (policy) {
    case v1::DISPATCH_POLICY_GREEDY:
      return {.kind = DispatchPolicyKind::kGreedy};
    case v1::DISPATCH_POLICY_LAZY:
      return {.kind = DispatchPolicyKind::kLazy};
    case v1::DISPATCH_POLICY_HORIZON:
      return {.kind = DispatchPolicyKind::kHorizon};
    case v1::DISPATCH_POLICY_MODEL:
      return {.kind = DispatchPolicyKind::kModel};
    case v1::DISPATCH_POLICY_SAMPLING:
      return {.kind = DispatchPolicyKind::kSampling};
    case v1::DISPATCH_POLICY_UNSPECIFIED:
      if (has_model) return {.kind = DispatchPolicyKind::kModel};
      return {.kind = DispatchPolicyKind::kSampling, .is_default = !has_sampling};
    default:
      invalid.Add(field, "got ", static_cast<int>(policy),
                  ", which is not a value of DispatchPolicy");
      return {};
  }
}

std::optional<ModelReference> PolicyModelFromProto(std::string_view name, DispatchPolicyKind policy,
                                                   const std::string& field,
                                                   ViolationList& invalid) {
  if (name.empty()) return std::nullopt;
  if (policy != DispatchPolicyKind::kModel) {
    invalid.Add(field, "given, but policy ", DispatchPolicyName(policy),
                " uses none; wanted policy model");
    return std::nullopt;
  }
  const absl::StatusOr<ModelReference> reference = ParseModelName(field, name);
  if (reference.ok()) return *reference;
  invalid.Add(
      field, "got ", Quoted(name),
      ", wanted models/{name}, models/{name}/versions/{n} or models/{name}/aliases/{alias}");
  return std::nullopt;
}

SamplingParameters SamplingFromProto(const v1::DispatchSampling& message, DispatchPolicyKind policy,
                                     const std::string& field, ViolationList& invalid) {
  if (policy != DispatchPolicyKind::kSampling) {
    invalid.Add(field, "given, but policy ", DispatchPolicyName(policy),
                " has no such parameters; wanted policy sampling");
  }
  const auto in_range = [&](std::string_view name, auto value, auto min, auto max) {
    if (!(value >= min && value <= max)) {
      invalid.Add(Concat(field, ".", name), "got ", value, ", wanted ", min, " to ", max);
    }
    return value;
  };
  SamplingParameters sampling;
  if (message.has_rounds()) {
    sampling.rounds = in_range("rounds", message.rounds(), 1, kMaxRoundsOfScenarios);
  }
  if (message.has_scenarios()) {
    sampling.scenarios = in_range("scenarios", message.scenarios(), 1, kMaxScenarios);
  }
  if (message.has_lookahead()) {
    sampling.lookahead = in_range("lookahead", message.lookahead(), 0, kMaxLookahead);
  }
  if (message.has_dispatch_share()) {
    sampling.dispatch_share = in_range("dispatch_share", message.dispatch_share(), 0., 1.);
  }
  if (message.has_postpone_share()) {
    sampling.postpone_share = in_range("postpone_share", message.postpone_share(), 0.,
                                       std::max(0., sampling.dispatch_share));
  } else {
    sampling.postpone_share = std::min(sampling.postpone_share, sampling.dispatch_share);
  }
  if (message.has_scenario_share()) {
    sampling.scenario_share = in_range("scenario_share", message.scenario_share(), 0., 1.);
  }
  return sampling;
}

}  // namespace vrp
