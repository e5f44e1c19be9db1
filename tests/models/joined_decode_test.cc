// Checks that a request's plan does not depend on the requests decoded together with it.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/problem/generate/generators.h"
#include "core/registry/model_folder.h"
#include "core/solve/decode_batcher.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::IsEmpty;
using testing::Not;

// Returns instances of many sizes, in no order of size.
std::vector<Instance> MixedInstances() {
  std::vector<Instance> instances;
  for (int i = 0; i < 40; ++i) {
    const int32_t customers = 10 + (i * 37) % 110;
    auto instance = GenerateInstance({.customers = customers, .seed = 99}, i);
    EXPECT_TRUE(instance.ok()) << instance.status();
    instances.push_back(*std::move(instance));
  }
  return instances;
}

void ExpectSame(const DecodedPlan& joined, const DecodedPlan& alone, const std::string& label) {
  EXPECT_EQ(joined.plan, alone.plan) << label;
  EXPECT_EQ(joined.log_likelihood, alone.log_likelihood) << label;  // bitwise
  EXPECT_EQ(joined.others, alone.others) << label;
}

// Decodes all instances by a batcher. Submits them all before the first batch starts.
std::vector<DecodedPlan> DecodeTogether(const std::shared_ptr<Policy>& policy,
                                        const std::vector<Instance>& instances,
                                        const DecodeOptions& options) {
  std::vector<absl::AnyInvocable<void()>> tasks;
  size_t largest_batch = 0;
  DecodeBatcher batcher(
      {.limits = {},
       .run_later = [&](absl::AnyInvocable<void()> task) { tasks.push_back(std::move(task)); },
       .has_other_work = [] { return true; },
       .on_batch =
           [&](const DecodeBatcher::Report& report) {
             largest_batch = std::max(largest_batch, report.waited.size());
           }});
  std::vector<DecodedPlan> plans(instances.size());
  for (size_t i = 0; i < instances.size(); ++i) {
    batcher.Submit({.policy = policy, .instance = instances[i], .options = options},
                   [&, i](DecodeOutcome outcome) {
                     EXPECT_TRUE(outcome.plan.ok()) << outcome.plan.status();
                     if (outcome.plan.ok()) plans[i] = *std::move(outcome.plan);
                   });
    EXPECT_EQ(tasks.size(), 1) << "a batch started too early";
  }
  while (!tasks.empty()) {  // a task may add another one
    std::vector<absl::AnyInvocable<void()>> ready = std::exchange(tasks, {});
    for (absl::AnyInvocable<void()>& task : ready) task();
  }
  EXPECT_GT(largest_batch, 1) << "no requests were joined";
  return plans;
}

TEST(JoinedDecodeTest, ReturnsTheSamePlansAsDecodingAlone) {
  std::vector<ModelVersion> models =
      ScanModels(Concat(std::getenv("VRP_SOURCE_DIR"), "/models")).versions;
  std::erase_if(
      models, [](const ModelVersion& version) { return !KindWithoutRoutes(version.card).empty(); });
  ASSERT_THAT(models, Not(IsEmpty()));
  const std::vector<Instance> instances = MixedInstances();
  for (const ModelVersion& version : models) {
    auto loaded = LoadPolicy(version.directory, DeviceId{});
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    const std::shared_ptr<Policy> policy = *std::move(loaded);
    for (const DecodeOptions& options :
         {DecodeOptions{}, DecodeOptions{.method = DecodeMethod::kBeam, .width = 3, .others = 2}}) {
      const std::vector<DecodedPlan> joined = DecodeTogether(policy, instances, options);
      for (size_t i = 0; i < instances.size(); ++i) {
        const auto alone = policy->Decode(std::span(&instances[i], 1), options);
        ASSERT_TRUE(alone.ok()) << alone.status();
        ExpectSame(joined[i], alone->front(),
                   Concat(version.name, " on ", instances[i].num_customers(), " customers"));
      }
    }
  }
}

}  // namespace
}  // namespace vrp
