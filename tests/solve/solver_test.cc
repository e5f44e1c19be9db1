#include "core/solve/solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <thread>

#include "core/base/steady_time.h"
#include "tests/testing/brute_force.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::HasSubstr;

SolveOptions OptionsWithIterations(int64_t iterations) {
  SolveOptions options;
  options.budget = absl::Seconds(60);
  options.max_iterations = iterations;
  return options;
}

TEST(SolverTest, ReturnsACheckedOptimumOfATinyInstance) {
  const Instance instance = AnInstance().WithCustomers(6).RandomDemands().Capacity(14).Build();
  const auto answer = Solve(instance, OptionsWithIterations(2000));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->check.feasible);
  EXPECT_NEAR(answer->solution.cost, test::BruteForceOptimum(instance).cost, 1e-6);
  EXPECT_EQ(answer->check.cost, answer->solution.cost);
  EXPECT_EQ(answer->ended_by, SolveEnd::kOptimal);
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
  EXPECT_EQ(answer->iterations, 0) << "exact search must leave no work";
}

TEST(SolverTest, ReportsTheOptimumOfATinyInstanceOnce) {
  std::vector<Cost> reported;
  SolveOptions options = OptionsWithIterations(2000);
  options.on_improvement = [&](const Plan&, Cost cost) { reported.push_back(cost); };
  const auto answer = Solve(AnInstance().WithCustomers(1).Build(), options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->ended_by, SolveEnd::kOptimal);
  EXPECT_THAT(reported, testing::ElementsAre(answer->solution.cost));
}

TEST(SolverTest, ThrowsOnTheCallingThreadIfASearchRunsOutOfMemory) {
  const Instance instance = AnInstance().WithCustomers(20).RandomDemands().Build();
  SolveOptions options = OptionsWithIterations(2000);
  options.on_improvement = [](const Plan&, Cost) { throw std::bad_alloc(); };
  for (const int32_t threads : {1, 2}) {
    options.threads = threads;
    EXPECT_THROW(Solve(instance, options).IgnoreError(), std::bad_alloc);
    absl::Status status;
    SolveLater(instance, options,
               [&](const absl::StatusOr<SolveAnswer>& answer) { status = answer.status(); });
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  }
}

TEST(SolverTest, EndsAfterTheRequestedIterations) {
  const auto answer =
      Solve(AnInstance().WithCustomers(20).RandomDemands().Build(), OptionsWithIterations(2000));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->ended_by, SolveEnd::kIterations);
  EXPECT_EQ(answer->iterations, 2000);
}

TEST(SolverTest, IsDeterministicForASeed) {
  const Instance instance = AnInstance().WithCustomers(50).RandomDemands().Capacity(25).Build();
  SolveOptions options = OptionsWithIterations(300);
  options.seed = 5;
  EXPECT_EQ(Solve(instance, options)->solution.cost, Solve(instance, options)->solution.cost);
  EXPECT_EQ(Solve(instance, options)->seed, 5);
}

TEST(SolverTest, IsNoWorseWithMoreThreads) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs 2 CPU cores";
  const Instance instance = AnInstance().WithCustomers(60).RandomDemands().Capacity(25).Build();
  SolveOptions options = OptionsWithIterations(300);
  const auto one_thread = Solve(instance, options);
  options.threads = 2;
  const auto two_threads = Solve(instance, options);
  EXPECT_LE(two_threads->solution.cost, one_thread->solution.cost);
  EXPECT_EQ(two_threads->iterations, 600);
  EXPECT_TRUE(two_threads->check.feasible);
}

TEST(SolverTest, StartsFromAnInitialPlan) {
  const Instance instance = AnInstance().WithCustomers(50).RandomDemands().Capacity(25).Build();
  SolveOptions options = OptionsWithIterations(5000);
  const auto reference = Solve(instance, options);
  options.initial.emplace_back();
  for (const Route& route : reference->solution.routes) {
    PlannedRoute& planned = options.initial[0].emplace_back();
    for (size_t i = 1; i + 1 < route.stops.size(); ++i) {
      planned.customers.push_back(route.stops[i].node);
    }
  }
  options.received = SteadyNow() - absl::Seconds(100);
  const auto answer = Solve(instance, options);
  EXPECT_LE(answer->solution.cost, reference->solution.cost + 1e-9);
  EXPECT_EQ(answer->strategy, Strategy::kSearch);
}

TEST(SolverTest, RefusesAnInitialPlanForOtherStrategies) {
  for (const Strategy strategy :
       {Strategy::kGreedy, Strategy::kSample, Strategy::kBeam, Strategy::kMultiStart}) {
    SolveOptions options;
    options.strategy = strategy;
    options.initial = {{{0, {1, 2}}}};
    const auto answer = Solve(AnInstance().Build(), options);
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(answer.status().message()), HasSubstr("initial_solution: given"));
  }
}

TEST(SolverTest, AnswersAfterTheBudgetHasPassed) {
  for (const int32_t customers : {1, 20, 2000}) {
    SolveOptions options;
    options.received = SteadyNow() - absl::Seconds(10);
    const auto answer = Solve(AnInstance().WithCustomers(customers).Build(), options);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_TRUE(answer->check.feasible);
    EXPECT_EQ(answer->ended_by, SolveEnd::kBudget);
    EXPECT_GE(answer->times.queue, absl::Seconds(10));
    EXPECT_GE(answer->times.total, answer->times.queue);
  }
}

TEST(SolverTest, EndsTheBudget20MillisecondsBeforeTheDeadline) {
  const Instance instance = AnInstance().Build();
  SolveOptions options = OptionsWithIterations(1);
  options.received = SteadyNow();
  options.budget = absl::Seconds(60);
  EXPECT_EQ(Solve(instance, options)->budget, absl::Seconds(60));
  options.deadline = options.received + absl::Seconds(30);
  EXPECT_EQ(Solve(instance, options)->budget, absl::Seconds(30) - absl::Milliseconds(20));
  options.deadline = options.received + absl::Milliseconds(5);
  EXPECT_EQ(Solve(instance, options)->budget, absl::ZeroDuration());
}

TEST(SolverTest, DistinguishesTheBudgetFromTheDeadline) {
  const Instance instance = AnInstance().WithCustomers(30).Build();
  SolveOptions options;
  options.budget = absl::Milliseconds(5);
  EXPECT_EQ(Solve(instance, options)->ended_by, SolveEnd::kBudget);
  options.budget = absl::Seconds(60);
  options.deadline = SteadyNow() + absl::Milliseconds(30);
  EXPECT_EQ(Solve(instance, options)->ended_by, SolveEnd::kDeadline);
}

TEST(SolverTest, KeepsTheBestPlanWhenCancelledFromAnotherThread) {
  SolveOptions options;
  options.budget = absl::Hours(1);
  const auto cancel = std::make_shared<CancelFlag>();
  options.cancel = cancel;
  std::thread canceller([&] { cancel->Cancel(); });
  const auto answer = Solve(AnInstance().WithCustomers(100).RandomDemands().Build(), options);
  canceller.join();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->ended_by, SolveEnd::kCancelled);
  EXPECT_TRUE(answer->check.feasible);
}

TEST(SolverTest, NamesUnservedCustomersAndReasons) {
  const Instance instance = AnInstance().WithCustomers(5).Capacity(2).Vehicles(2).Build();
  const auto answer = Solve(instance, OptionsWithIterations(100));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(answer->check.feasible);
  ASSERT_EQ(answer->solution.unserved.size(), 1);
  EXPECT_EQ(answer->solution.unserved[0].reason, "fleet exhausted");
}

TEST(SolverTest, RefusesOptionsOutOfRangeAndNamesThem) {
  const Instance instance = AnInstance().Build();
  const auto refusal = [&](auto change) {
    SolveOptions options;
    change(options);
    const auto answer = Solve(instance, options);
    EXPECT_TRUE(absl::IsInvalidArgument(answer.status())) << answer.status();
    return std::string(answer.status().message());
  };
  EXPECT_THAT(refusal([](SolveOptions& o) { o.budget = absl::ZeroDuration(); }),
              HasSubstr("budget"));
  EXPECT_THAT(refusal([](SolveOptions& o) { o.budget = absl::Microseconds(999); }),
              HasSubstr("1ms to 720h"));
  EXPECT_THAT(refusal([](SolveOptions& o) { o.budget = absl::InfiniteDuration(); }),
              HasSubstr("budget"));
  EXPECT_THAT(refusal([](SolveOptions& o) { o.threads = 0; }), HasSubstr("threads"));
  EXPECT_THAT(refusal([](SolveOptions& o) { o.threads = 1'000'000; }), HasSubstr("threads"));
  EXPECT_THAT(refusal([](SolveOptions& o) { o.width = 0; }), HasSubstr("width"));
  EXPECT_THAT(refusal([](SolveOptions& o) { o.max_iterations = -1; }), HasSubstr("max_iterations"));
}

TEST(SolverTest, SolvesConstrainedInstances) {
  SolveOptions options;
  options.budget = absl::Milliseconds(50);
  const auto answer = Solve(AnInstance().MaxDuration(250).Build(), options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->check.feasible);
}

}  // namespace
}  // namespace vrp
