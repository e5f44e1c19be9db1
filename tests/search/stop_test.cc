// The search ends when asked to, and has a plan whenever that is. Times are not asserted: a search
// that does not stop hangs here until CTest ends it.
#include <gtest/gtest.h>

#include <thread>

#include "core/base/steady_time.h"
#include "core/problem/checker/checker.h"
#include "core/search/search.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

class StopTest : public testing::TestWithParam<ProblemKind> {
 protected:
  static Instance Make(int32_t customers) {
    auto builder = AnInstance().WithCustomers(customers);
    if (GetParam() == ProblemKind::kTsp) return builder.Kind(ProblemKind::kTsp).Build();
    if (GetParam() == ProblemKind::kVrptw) return builder.RandomWindows().Build();
    return builder.RandomDemands().Capacity(30).Build();
  }
};

TEST_P(StopTest, GivesAFeasiblePlanWhenTheTimeIsOverFromTheStart) {
  for (const int32_t customers : {1, 2, 3, 30, 3000}) {
    const Instance instance = Make(customers);
    SearchOptions options;
    options.stop = StopCondition(absl::InfinitePast(), nullptr);
    const auto found = Search(instance, options);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_TRUE(CheckPlan(instance, found->plan, found->cost).feasible);
    EXPECT_EQ(found->ended_by, SearchEnd::kDeadline);
  }
}

TEST_P(StopTest, GivesAFeasiblePlanWhenCancelledFromTheStart) {
  const Instance instance = Make(100);
  const auto cancel = std::make_shared<CancelFlag>();
  cancel->Cancel();
  SearchOptions options;
  options.stop = StopCondition(absl::InfiniteFuture(), cancel);
  const auto found = Search(instance, options);
  EXPECT_TRUE(CheckPlan(instance, found->plan, found->cost).feasible);
  EXPECT_EQ(found->ended_by, SearchEnd::kCancelled);
}

TEST_P(StopTest, EndsWhenAnotherThreadCancels) {
  const Instance instance = Make(100);
  const auto cancel = std::make_shared<CancelFlag>();
  SearchOptions options;
  options.stop = StopCondition(absl::InfiniteFuture(), cancel);
  std::thread canceller;
  const auto found = Search(instance, options, [&](const Plan&, Cost) {
    if (!canceller.joinable()) canceller = std::thread([&] { cancel->Cancel(); });
  });
  ASSERT_TRUE(canceller.joinable());
  canceller.join();
  EXPECT_TRUE(CheckPlan(instance, found->plan, found->cost).feasible);
  EXPECT_EQ(found->ended_by, SearchEnd::kCancelled);
}

TEST_P(StopTest, EndsAtTheDeadline) {
  SearchOptions options;
  options.stop = StopCondition(SteadyNow() + absl::Milliseconds(30), nullptr);
  EXPECT_EQ(Search(Make(100), options)->ended_by, SearchEnd::kDeadline);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StopTest,
                         testing::Values(ProblemKind::kTsp, ProblemKind::kCvrp,
                                         ProblemKind::kVrptw));

}  // namespace
}  // namespace vrp
