// Tests the minimum search time of a request, which is known before its instance is read.
#include <gtest/gtest.h>

#include "server/convert/solve_convert.h"

namespace vrp {
namespace {

// Number of customers of each request.
constexpr int64_t kCustomers = 200;

SolveLimits Limits() {
  return {.max_threads = 2, .max_budget = absl::Hours(1), .default_budget = absl::Seconds(1)};
}

absl::Duration MinSearchTime(const v1::SolveRequest& request) {
  return MinSearchTimeOf(request, kCustomers, Limits());
}

TEST(MinSearchTimeTest, ReturnsTheWholeBudgetWithoutStoppingCriteria) {
  v1::SolveRequest request;
  request.mutable_budget()->set_seconds(5);
  EXPECT_EQ(MinSearchTime(request), absl::Seconds(5));
  EXPECT_EQ(MinSearchTime(v1::SolveRequest()), absl::Seconds(1));
}

TEST(MinSearchTimeTest, ReturnsTheTimeWithoutImprovement) {
  v1::SolveRequest request;
  request.mutable_budget()->set_seconds(10);
  request.mutable_stop()->set_no_improvement_share(0.25);
  EXPECT_EQ(MinSearchTime(request), absl::Seconds(2.5));
  request.mutable_stop()->set_no_improvement_share(0);
  request.mutable_stop()->mutable_no_improvement()->set_seconds(3);
  EXPECT_EQ(MinSearchTime(request), absl::Seconds(3));
}

TEST(MinSearchTimeTest, GrowsWithTheInstanceUnderTheAutomaticRule) {
  v1::SolveRequest request;
  request.mutable_stop()->set_automatic(true);
  const absl::Duration min_time = MinSearchTime(request);
  EXPECT_GT(min_time, absl::ZeroDuration());
  EXPECT_LE(min_time, BudgetOf(request, Limits()));
  EXPECT_EQ(MinSearchTimeOf(request, 1, Limits()), absl::ZeroDuration());
}

TEST(MinSearchTimeTest, ReturnsZeroWithATargetOrIterationLimit) {
  v1::SolveRequest request;
  request.mutable_stop()->set_automatic(true);
  request.mutable_stop()->set_target_cost(100);
  EXPECT_EQ(MinSearchTime(request), absl::ZeroDuration());
  request.mutable_stop()->clear_target_cost();
  request.mutable_stop()->set_max_iterations(10);
  EXPECT_EQ(MinSearchTime(request), absl::ZeroDuration());
}

}  // namespace
}  // namespace vrp
