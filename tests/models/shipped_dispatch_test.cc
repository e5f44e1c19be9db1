// Tests that the shipped dispatch model decides well on a site that it was not trained on.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/dispatch/compare_policies.h"
#include "core/dispatch/policies/make_policy.h"
#include "core/dispatch/sampler.h"
#include "core/model/dispatch/dispatch_model.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

constexpr int kDays = 5;
constexpr uint64_t kSiteSeed = 20261127;
constexpr uint64_t kFirstDay = 1;

// Returns the sum of the costs of kDays days under `policy`. Searches end by iterations, so that it
// is the same on all machines.
double CostOf(const DispatchSite& site, const DayShape& shape, const DispatchPolicy& policy) {
  double cost = 0;
  for (uint64_t seed = kFirstDay; seed < kFirstDay + kDays; ++seed) {
    const auto day = SimulateDay(site, *DrawDay(site, shape, seed), policy,
                                 {.decision_time = absl::Hours(1),
                                  .max_iterations = 500,
                                  .fleet = std::vector<int32_t>(site.instance().vehicles().size(),
                                                                DispatchState::kUnlimited)});
    EXPECT_TRUE(day.ok()) << day.status();
    if (!day.ok()) continue;
    EXPECT_TRUE(day->missed.empty());
    cost += day->cost;
  }
  return cost;
}

TEST(ShippedDispatchModelTest, CostsLessThanSendingOrWaitingOnANewSite) {
  const std::string directory = Concat(std::getenv("VRP_SOURCE_DIR"), "/models/dispatch-ortec/1");
  const auto model = DispatchModel::Load(directory, "models/dispatch-ortec/versions/1");
  ASSERT_TRUE(model.ok()) << model.status();
  const auto instance = Instance::Create(
      GenerateInstanceData({.kind = ProblemKind::kVrptw, .customers = 60, .seed = kSiteSeed}, 0));
  ASSERT_TRUE(instance.ok()) << instance.status();
  const DispatchSite site = *DispatchSite::Create(*instance);
  const DayShape shape = {.epoch = 60, .margin = 30, .requests_per_epoch = 8};
  const auto sampler = std::make_shared<const SiteSampler>(site, shape.requests_per_epoch);
  const auto cost_of = [&](DispatchPolicyKind kind) {
    const auto policy = MakeDispatchPolicy(
        site, {.kind = kind, .sampler = sampler, .model = model->PrizesFor(site, sampler)});
    EXPECT_TRUE(policy.ok()) << policy.status();
    return CostOf(site, shape, **policy);
  };
  const double cost = cost_of(DispatchPolicyKind::kModel);
  EXPECT_LT(cost, 0.95 * cost_of(DispatchPolicyKind::kGreedy));
  EXPECT_LT(cost, cost_of(DispatchPolicyKind::kLazy));
}

}  // namespace
}  // namespace vrp
