#include "core/model/policy/improving_policy.h"

#include <algorithm>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/model/policy/integer_scaling.h"
#include "core/problem/instance/features.h"
#include "core/problem/plan/plan_value.h"

namespace vrp {
namespace {

bool IsSymmetric(const Instance& instance) {
  if (!instance.has_distance_matrix()) return true;
  for (NodeIndex from = 1; from < instance.num_nodes(); ++from) {
    for (NodeIndex to = 0; to < from; ++to) {
      if (instance.Distance(from, to) != instance.Distance(to, from)) return false;
    }
  }
  return true;
}

Plan PlanOfRoutes(const std::vector<std::vector<int32_t>>& routes) {
  Plan plan;
  for (const std::vector<int32_t>& route : routes) {
    plan.push_back({.customers = {route.begin(), route.end()}});
  }
  return plan;
}

void ForEach(size_t count, CpuPool* pool, absl::FunctionRef<void(int64_t)> body) {
  if (pool != nullptr && count > 1) {
    pool->ParallelFor(static_cast<int64_t>(count), body);
    return;
  }
  for (size_t i = 0; i < count; ++i) body(static_cast<int64_t>(i));
}

class ImprovingPolicy final : public Policy {
 public:
  ImprovingPolicy(std::unique_ptr<Policy> policy, std::unique_ptr<BatchImprover> improver)
      : policy_(std::move(policy)), improver_(std::move(improver)) {}

  const PolicyInfo& info() const override { return policy_->info(); }
  absl::Status Supports(const Instance& instance) const override {
    return policy_->Supports(instance);
  }

  absl::Status SupportsImprovement(const Instance& instance) const override {
    VRP_RETURN_IF_ERROR(RefuseFeatures(instance, {}, "strategy improved"));
    const auto refuse = [](const auto&... parts) {
      return absl::UnimplementedError(Concat(parts...));
    };
    if (instance.has_windows()) {
      return refuse("customers: time windows are not supported by strategy improved");
    }
    if (instance.num_nodes() < 2 || instance.num_nodes() > kMaxImprovedNodes) {
      return refuse("customers: got ", instance.num_customers(), ", wanted 1 to ",
                    kMaxImprovedNodes - 1, " for strategy improved");
    }
    if (IsSymmetric(instance)) return absl::OkStatus();
    return refuse("distance_matrix: strategy improved needs symmetric distances");
  }

  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    DecodeOptions decode_options = options;
    decode_options.improvement = {};
    if (!options.improvement.has_value()) return policy_->Decode(batch, decode_options);
    for (size_t i = 0; i < batch.size(); ++i) {
      const absl::Status status = SupportsImprovement(batch[i]);
      if (status.ok()) continue;
      return absl::Status(status.code(), Concat("instances[", i, "].", FromAbsl(status.message())));
    }
    VRP_ASSIGN_OR_RETURN(std::vector<DecodedPlan> plans, policy_->Decode(batch, decode_options));
    if (plans.size() != batch.size()) return plans;  // the caller reports the mismatch
    VRP_RETURN_IF_ERROR(Improve(batch, options, plans));
    return plans;
  }

 private:
  absl::Status Improve(std::span<const Instance> batch, const DecodeOptions& options,
                       std::vector<DecodedPlan>& plans) {
    const absl::Time start = SteadyNow();
    std::vector<ImprovedPlan> scaled(plans.size());
    ForEach(plans.size(), options.pool,
            [&](int64_t i) { scaled[i] = ScaleToIntegers(batch[i], plans[i].plan); });
    const ImproveOptions improving = {.rounds = options.improvement->rounds,
                                      .seed = options.seed,
                                      .stop = options.stop.Sooner(options.improvement->until),
                                      .pool = options.pool};
    absl::StatusOr<int32_t> rounds = 0;
    {
      absl::MutexLock lock(&mutex_);
      rounds = improver_->Improve(scaled, improving);
    }
    VRP_RETURN_IF_ERROR(rounds.status());
    // Distances and loads are rounded to integers, so an "improved" plan may cost more.
    ForEach(plans.size(), options.pool, [&](int64_t i) {
      Plan better = PlanOfRoutes(scaled[i].plan);
      if (PlanCost(batch[i], better) < PlanCost(batch[i], plans[i].plan)) {
        plans[i].plan = std::move(better);
      }
    });
    for (DecodedPlan& plan : plans) {
      plan.rounds = *rounds;
      plan.improving = SteadyNow() - start;
    }
    return absl::OkStatus();
  }

  const std::unique_ptr<Policy> policy_;
  absl::Mutex mutex_;
  const std::unique_ptr<BatchImprover> improver_ ABSL_PT_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Policy> MakeImprovingPolicy(std::unique_ptr<Policy> policy,
                                            std::unique_ptr<BatchImprover> improver) {
  return std::make_unique<ImprovingPolicy>(std::move(policy), std::move(improver));
}

}  // namespace vrp
