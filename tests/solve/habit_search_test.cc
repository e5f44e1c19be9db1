#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/habits/habit_guide.h"
#include "core/problem/plan/plan_value.h"
#include "core/solve/solver.h"
#include "tests/habits/fake_habit_model.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::FakeHabitModel;
using testing::HasSubstr;

// Returns a model whose drivers go round `order`, from and to the depot "0".
FakeHabitModel ModelOf(const std::vector<std::string>& order, const std::string& driver = "") {
  FakeHabitModel::Favourites favourites;
  std::string from = "0";
  for (const std::string& stop : order) from = favourites[from] = stop;
  favourites[from] = "0";
  return FakeHabitModel(FakeHabitModel::Drivers{{driver, favourites}});
}

SolveOptions GuidedOptions(const Instance& instance, const HabitModel& model, double weight) {
  SolveOptions options;
  options.budget = absl::Seconds(60);
  options.max_iterations = 2000;
  options.habits = HabitGuide::Create(instance, model, nullptr, weight).value();
  return options;
}

// Returns the customers of the first route, by id.
std::vector<std::string> FirstRoute(const Instance& instance, const SolveAnswer& answer) {
  std::vector<std::string> ids;
  const Plan plan = PlanOf(instance, answer.solution);
  for (const NodeIndex node : plan.at(0).customers) ids.push_back(instance.id(node));
  return ids;
}

// Customers on a line, which the cheapest route visits in order.
Instance CustomersOnALine(int32_t customers) {
  std::vector<Position> positions;
  for (int32_t i = 0; i <= customers; ++i) positions.push_back({10.0 * i, 0});
  return AnInstance().At(positions).Capacity(100).Build();
}

TEST(HabitSearchTest, FollowsAStrongHabitOfSmallInstances) {
  const Instance instance = CustomersOnALine(4);
  const std::vector<std::string> order = {"3", "1", "4", "2"};
  const auto answer = Solve(instance, GuidedOptions(instance, ModelOf(order), 3));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->ended_by, SolveEnd::kOptimal);
  EXPECT_EQ(FirstRoute(instance, *answer), order);
}

TEST(HabitSearchTest, FollowsAStrongHabitOfLargerInstances) {
  const Instance instance = CustomersOnALine(16);
  const std::vector<std::string> order = {"7", "2", "12", "1", "16", "3", "14", "5",
                                          "9", "4", "11", "6", "15", "8", "13", "10"};
  SolveOptions options = GuidedOptions(instance, ModelOf(order), 10);
  options.max_iterations = 20'000;
  const auto answer = Solve(instance, options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(FirstRoute(instance, *answer), order);
  EXPECT_NEAR(answer->habits->log_probability, 0, 1e-3);
  EXPECT_EQ(answer->habits->legs, 17);
}

TEST(HabitSearchTest, FollowsHabitsWhereNothingElseCosts) {
  InstanceData data = CustomersOnALine(10).data();
  data.objective = Objective::kCost;
  data.vehicles.front().cost_per_distance = 0;
  const Instance instance = *Instance::Create(std::move(data));
  const std::vector<std::string> order = {"7", "2", "1", "3", "5", "9", "4", "6", "8", "10"};
  const auto answer = Solve(instance, GuidedOptions(instance, ModelOf(order), 1));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->solution.cost, 0);
  EXPECT_EQ(answer->ended_by, SolveEnd::kIterations) << "a cost of 0 must not end the search";
  EXPECT_EQ(FirstRoute(instance, *answer), order);
}

TEST(HabitSearchTest, FollowsTheHabitsOfTheVehiclesDriver) {
  InstanceData data = CustomersOnALine(4).data();
  data.vehicles.front().id = "anna";
  const Instance instance = *Instance::Create(std::move(data));
  const std::vector<std::string> order = {"3", "1", "4", "2"};
  const auto own = Solve(instance, GuidedOptions(instance, ModelOf(order, "anna"), 3));
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_EQ(FirstRoute(instance, *own), order);
  const auto other = Solve(instance, GuidedOptions(instance, ModelOf(order, "bert"), 3));
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_NE(FirstRoute(instance, *other), order);
}

TEST(HabitSearchTest, FindsThePlanWithoutHabitsAtWeightZero) {
  const Instance instance = AnInstance().WithCustomers(40).RandomDemands().Capacity(30).Build();
  SolveOptions options = GuidedOptions(instance, FakeHabitModel(), 0);
  const auto guided = Solve(instance, options);
  options.habits = nullptr;
  const auto plain = Solve(instance, options);
  ASSERT_TRUE(guided.ok() && plain.ok());
  EXPECT_EQ(PlanOf(instance, guided->solution), PlanOf(instance, plain->solution));
  EXPECT_LT(guided->habits->log_probability, 0);
  EXPECT_EQ(guided->habits->cost, 0);
  EXPECT_FALSE(plain->habits.has_value());
}

TEST(HabitSearchTest, AnswersWithTheCostAndTheCheckOfTheInstance) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    test::FeatureInstanceOptions draw{
        .customers = 14, .seed = seed, .features = test::DrawFeatures(seed)};
    draw.objective = static_cast<Objective>(seed % 4);
    const Instance instance = test::MakeFeatureInstance(draw);
    const std::optional<Balance>& balance = instance.data().balance;
    if (balance.has_value() && balance->measure == BalanceMeasure::kDistance) continue;
    SolveOptions options =
        GuidedOptions(instance, FakeHabitModel(FakeHabitModel::Drivers{{"type1", {}}}), 1);
    options.max_iterations = 300;
    const auto answer = Solve(instance, options);
    ASSERT_TRUE(answer.ok()) << "seed " << seed << ": " << answer.status();
    const Plan plan = PlanOf(instance, answer->solution);
    EXPECT_NEAR(answer->solution.cost, PlanCost(instance, plan), 1e-6);
    EXPECT_NEAR(answer->solution.cost + answer->habits->cost,
                PlanCost(options.habits->searched(), plan), 1e-6);
  }
}

TEST(HabitSearchTest, ReportsTheCostOfEachImprovementWithoutTheHabits) {
  const Instance instance = AnInstance().WithCustomers(30).RandomDemands().Capacity(30).Build();
  SolveOptions options = GuidedOptions(instance, FakeHabitModel(), 2);
  std::vector<Cost> guided;
  options.on_improvement = [&](const Plan& plan, Cost cost) {
    EXPECT_DOUBLE_EQ(cost, PlanCost(instance, plan));
    guided.push_back(PlanCost(options.habits->searched(), plan));
  };
  ASSERT_TRUE(Solve(instance, options).ok());
  ASSERT_GT(guided.size(), 1);
  EXPECT_TRUE(std::is_sorted(guided.rbegin(), guided.rend()));
}

TEST(HabitSearchTest, EndsAtATargetOfTheCostWithoutTheHabits) {
  const Instance instance = AnInstance().WithCustomers(30).RandomDemands().Capacity(30).Build();
  SolveOptions options = GuidedOptions(instance, FakeHabitModel(), 2);
  const auto best = Solve(instance, options);
  ASSERT_TRUE(best.ok());
  options.stop.target_cost = 1.2 * best->solution.cost;
  const auto answer = Solve(instance, options);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->ended_by, SolveEnd::kTarget);
  EXPECT_LE(answer->solution.cost, *options.stop.target_cost + 1e-6);
}

TEST(HabitSearchTest, RefusesStrategiesOfNetworksByName) {
  const Instance instance = AnInstance().Build();
  SolveOptions options = GuidedOptions(instance, FakeHabitModel(), 1);
  for (const Strategy strategy : {Strategy::kGreedy, Strategy::kSeeded, Strategy::kImproved}) {
    options.strategy = strategy;
    const absl::Status status = Solve(instance, options).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("wanted strategy auto or search"));
  }
}

}  // namespace
}  // namespace vrp
