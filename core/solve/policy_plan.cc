#include "core/solve/policy_plan.h"

#include <new>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/cpu_pool.h"
#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/problem/generate/generators.h"

namespace vrp {
namespace {

// Number of customers of the instance that is decoded to measure the time.
constexpr int32_t kMeasuredCustomers = 20;

}  // namespace

absl::StatusOr<std::vector<DecodedPlan>> DecodeChecked(Policy& policy,
                                                       std::span<const Instance> instances,
                                                       const DecodeOptions& options) {
  try {
    absl::StatusOr<std::vector<DecodedPlan>> plans = policy.Decode(instances, options);
    if (!plans.ok() || plans->size() == instances.size()) return plans;
    return absl::InternalError(absl::StrCat("policy ", policy.info().architecture, " gave ",
                                            plans->size(), " plans for ", instances.size(),
                                            " instances"));
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        "not enough memory to decode this request; make it smaller");
  }
}

absl::StatusOr<DecodedPlan> DecodeAlone(const PolicyRequest& request) {
  DecodeOptions options = request.options;
  std::optional<CpuPool> pool;
  if (request.threads > 1) options.pool = &pool.emplace(request.threads);
  absl::StatusOr<std::vector<DecodedPlan>> plans =
      DecodeChecked(*request.policy, std::span(&request.instance, 1), options);
  if (!plans.ok()) return plans.status();
  return std::move(plans->front());
}

DecodeTime MeasureDecodeTime(const PolicyRequest& request, absl::Time until) {
  const std::vector<ProblemKind>& kinds = request.policy->info().kinds;
  const absl::Time start = SteadyNow();
  if (start + kMaxMeasuringTime >= until) return {};
  const absl::StatusOr<Instance> small = GenerateInstance(
      {.kind = kinds.empty() ? ProblemKind::kCvrp : kinds.front(), .customers = kMeasuredCustomers},
      0);
  if (!small.ok()) return {};
  PolicyRequest measured = request;
  measured.instance = *small;
  measured.options.improvement.reset();
  measured.options.stop = StopCondition(start + kMaxMeasuringTime, nullptr);
  const absl::Status status = DecodeAlone(measured).status();
  const bool is_late = absl::IsDeadlineExceeded(status);
  if (!status.ok() && !is_late) return {};
  const double ratio =
      static_cast<double>(DecodeRows(request)) / static_cast<double>(DecodeRows(measured));
  return {.time = ratio * (SteadyNow() - start), .at_least = is_late};
}

absl::StatusOr<DecodedPlan> CheckDecodedPlan(const Policy& policy, const Instance& instance,
                                             absl::StatusOr<DecodedPlan> decoded) {
  if (!decoded.ok()) return decoded;
  const CheckReport report = CheckPlan(instance, decoded->plan);
  if (report.feasible) return decoded;
  return absl::InternalError(absl::StrCat(
      "policy ", policy.info().architecture, " gave an infeasible plan with ",
      report.violations.size(), " violations, the first: ", report.violations.front().message));
}

}  // namespace vrp
