#include "core/habits/guided_instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/habits/habit_guide.h"
#include "core/problem/checker/checker.h"
#include "core/problem/checker/freeze.h"
#include "core/problem/plan/plan_value.h"
#include "tests/habits/fake_habit_model.h"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::FakeHabitModel;
using testing::HasSubstr;

bool BalancesDistances(const InstanceData& data) {
  return data.balance.has_value() && data.balance->measure == BalanceMeasure::kDistance;
}

// Gives the last customer the row of the customer before in all matrices.
void LetTwoShareARow(InstanceData& data) {
  if (data.distance_matrix.empty()) {
    data.distance_matrix = Instance::Create(data).value().DistanceMatrix();
  }
  for (int32_t node = 0; node < NodeCount(data); ++node) data.matrix_rows.push_back(node);
  --data.matrix_rows.back();
}

// Returns an instance with random features, in which some vehicle types are drivers "a" and "b".
Instance DrawInstance(uint64_t seed) {
  InstanceData data;
  if (seed % 2 == 0) {
    data = test::RandomConstrainedData(seed, 2 + static_cast<int32_t>(seed % 9));
  } else {
    test::FeatureInstanceOptions options{
        .customers = 12, .seed = seed, .features = test::DrawFeatures(seed)};
    options.objective = static_cast<Objective>(seed % 4);
    data = test::MakeFeatureInstance(options).data();
  }
  if (seed % 5 == 0 && !BalancesDistances(data)) data.balance = test::RandomBalance(seed);
  if (BalancesDistances(data)) data.balance.reset();
  for (size_t t = 0; t < data.vehicles.size(); ++t) {
    if ((seed + t) % 3 != 0) data.vehicles[t].id = (seed + t) % 3 == 1 ? "a" : "b";
  }
  // Some fleets cost nothing by distance.
  if (data.objective == Objective::kCost && seed % 7 == 0) {
    data.vehicles.front().cost_per_distance = 0;
  }
  if (seed % 3 == 0) LetTwoShareARow(data);
  absl::StatusOr<Instance> instance = Instance::Create(std::move(data));
  EXPECT_TRUE(instance.ok()) << instance.status();
  return *std::move(instance);
}

std::shared_ptr<const HabitGuide> GuideOf(
    const Instance& instance, double weight,
    const FakeHabitModel& model = FakeHabitModel(FakeHabitModel::Drivers{{"a", {}}, {"b", {}}})) {
  auto guide = HabitGuide::Create(instance, model, nullptr, weight);
  EXPECT_TRUE(guide.ok()) << guide.status();
  return *std::move(guide);
}

std::string Refusal(const Instance& instance, double weight = 1) {
  const auto guide = HabitGuide::Create(
      instance, FakeHabitModel(FakeHabitModel::Drivers{{"a", {}}}), nullptr, weight);
  EXPECT_FALSE(guide.ok());
  return std::string(guide.status().message());
}

TEST(GuidedInstanceTest, AddsExactlyTheHabitCostOfEveryPlan) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Instance instance = DrawInstance(seed);
    const auto guide = GuideOf(instance, 0.5);
    for (uint64_t draw = 0; draw < 5; ++draw) {
      const Plan plan = test::RandomConstrainedPlan(instance, 10 * seed + draw);
      const PlanValue value = ValueOf(instance, plan);
      const PlanValue guided = ValueOf(guide->searched(), plan);
      const PlanHabits score = guide->ScoreOf(plan);
      const double wanted = value.cost + score.cost;
      ASSERT_NEAR(guided.cost, wanted, 1e-7 * (1 + wanted)) << "seed " << seed;
      ASSERT_EQ(guided.left_out, value.left_out);
      ASSERT_EQ(guided.routes, value.routes);
      ASSERT_NEAR(score.cost, 0.5 * guide->leg_cost() * -score.log_probability, 1e-9 * wanted);
    }
  }
}

TEST(GuidedInstanceTest, HasTheSameFeasiblePlans) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Instance instance = DrawInstance(seed);
    const auto guide = GuideOf(instance, 2);
    for (uint64_t draw = 0; draw < 5; ++draw) {
      const Plan plan = test::RandomConstrainedPlan(instance, 10 * seed + draw);
      const CheckReport report = CheckPlan(instance, plan);
      const CheckReport guided = CheckPlan(guide->searched(), plan);
      ASSERT_EQ(guided.violations.size(), report.violations.size()) << "seed " << seed;
      for (size_t i = 0; i < report.violations.size(); ++i) {
        ASSERT_EQ(guided.violations[i].message, report.violations[i].message) << "seed " << seed;
      }
    }
  }
}

TEST(GuidedInstanceTest, SumsTheLogarithmsOfTheLegsOfTheVehiclesDrivers) {
  InstanceData data = AnInstance().WithCustomers(3).BuildData();
  data.vehicles = {{.id = "a"}, {.id = "nobody"}};
  const Instance instance = *Instance::Create(std::move(data));
  const FakeHabitModel model({{"a", {{"0", "2"}, {"2", "1"}, {"1", "0"}}}, {"", {{"0", "3"}}}});
  const auto guide = GuideOf(instance, 1, model);
  const PlanHabits usual = guide->ScoreOf({{.vehicle_type = 0, .customers = {2, 1}}});
  EXPECT_EQ(usual.legs, 3);
  EXPECT_NEAR(usual.log_probability, 0, 1e-4);
  EXPECT_LT(guide->ScoreOf({{.vehicle_type = 1, .customers = {2, 1}}}).log_probability, -10);
  EXPECT_LT(guide->ScoreOf({{.vehicle_type = 0, .customers = {1, 2}}}).log_probability, -20);
}

TEST(GuidedInstanceTest, TakesEachDepotForTheOneOfPastRoutes) {
  InstanceData data = AnInstance().WithCustomers(4).BuildData();
  data.num_depots = 2;
  data.demands = {0, 0, 1, 1, 1};
  data.vehicles = {{.id = "north", .depot = 0}, {.id = "south", .depot = 1}};
  const Instance instance = *Instance::Create(std::move(data));
  const FakeHabitModel model({{"", {{"0", "2"}, {"1", "3"}, {"2", "0"}, {"3", "1"}}}});
  const auto guide = GuideOf(instance, 1, model);
  const PlanHabits score = guide->ScoreOf(
      {{.vehicle_type = 0, .customers = {2}}, {.vehicle_type = 1, .customers = {3}}});
  EXPECT_EQ(score.legs, 4);
  EXPECT_NEAR(score.log_probability, 0, 1e-4);
}

TEST(GuidedInstanceTest, RatesLegsBetweenCustomersByADayAtTheFirstDepot) {
  InstanceData data = AnInstance().WithCustomers(3).BuildData();
  const std::vector<float> logs = FakeHabitModel().EdgeLogProbabilities(
      std::vector<HabitStop>{{.id = "0"}, {.id = "2"}, {.id = "3"}}, "");
  data.num_depots = 2;
  data.demands = {0, 0, 1, 1};
  data.vehicles = {{.depot = 0, .end_depot = 1}};
  const Instance instance = *Instance::Create(std::move(data));
  const auto probabilities = LegProbabilities::Create(instance, FakeHabitModel());
  ASSERT_TRUE(probabilities.ok());
  EXPECT_FLOAT_EQ(probabilities->Log(0, 0, 2), logs[1]);
  EXPECT_FLOAT_EQ(probabilities->Log(0, 2, 3), logs[5]);
  EXPECT_NE(probabilities->Log(0, 3, 1), 0) << "the end";
  EXPECT_NE(probabilities->Log(0, 3, 1), logs[6]) << "the first depot";
}

TEST(GuidedInstanceTest, CountsNoLegsBetweenDepots) {
  InstanceData data = AnInstance().WithCustomers(3).BuildData();
  data.num_depots = 2;
  data.demands = {0, 0, 1, 1};
  data.vehicles = {{.max_reloads = 1, .reload_depots = {1}, .initial_load = {1}}};
  const Instance instance = *Instance::Create(std::move(data));
  EXPECT_EQ(GuideOf(instance, 1)->ScoreOf({{.customers = {1, 2}}}).legs, 2);
}

TEST(GuidedInstanceTest, CountsNoReturnOfRoutesWithAnOpenEnd) {
  const Instance instance = AnInstance().OpenEnd().Build();
  EXPECT_EQ(GuideOf(instance, 1)->ScoreOf({{.customers = {1, 2}}}).legs, 2);
}

TEST(GuidedInstanceTest, HasNoTermsBetweenCustomersAtOnePlace) {
  InstanceData data = AnInstance().At({{0, 0}, {9, 0}, {9, 0}}).BuildData();
  data.setups = {0, 5, 5};
  const Instance instance = *Instance::Create(std::move(data));
  const auto guide = GuideOf(instance, 1);
  EXPECT_EQ(guide->ScoreOf({{.customers = {1, 2}}}).legs, 2);
  EXPECT_EQ(guide->searched().Distance(1, 2), 0);
  EXPECT_GT(guide->searched().Distance(0, 1), 9);
}

TEST(GuidedInstanceTest, KeepsSetupsWhereACertainLegCostsNothing) {
  InstanceData data = AnInstance().At({{0, 0}, {9, 0}}).BuildData();
  data.objective = Objective::kDuration;
  data.speed = 1e12;
  data.duration_matrix.assign(4, 0);
  data.setups = {0, 5};
  const Instance instance = *Instance::Create(std::move(data));
  const auto guide = GuideOf(instance, 1);  // the only customer follows with probability 1
  const Plan plan = {{.customers = {1}}};
  EXPECT_EQ(PlanCost(instance, plan), 5);
  EXPECT_EQ(PlanCost(guide->searched(), plan), 5);
}

TEST(GuidedInstanceTest, MeasuresTheUsualLegByItsCost) {
  const Instance instance = test::OnALine().Build();
  EXPECT_DOUBLE_EQ(UsualLegCost(instance), 10);
  InstanceData data = instance.data();
  data.objective = Objective::kCost;
  data.vehicles.front().cost_per_distance = 3;
  data.vehicles.front().cost_per_time = 2;
  EXPECT_DOUBLE_EQ(UsualLegCost(*Instance::Create(data)), 50);
  data.vehicles.front().cost_per_distance = 0;
  data.vehicles.front().cost_per_time = 0;
  EXPECT_DOUBLE_EQ(UsualLegCost(*Instance::Create(data)), 1);
}

TEST(GuidedInstanceTest, SearchesTheGivenInstanceWithWeightZero) {
  const Instance instance = AnInstance().Build();
  const auto guide = GuideOf(instance, 0);
  EXPECT_EQ(&guide->searched().data(), &instance.data());
  EXPECT_LT(guide->ScoreOf({{.customers = {1, 2}}}).log_probability, 0);
}

TEST(GuidedInstanceTest, KeepsFrozenRoutes) {
  InstanceData data = AnInstance().BuildData();
  data.demands[1] = data.demands[2] = 0;
  data.shipments = {{.id = "s", .pickup = 1, .delivery = 2, .amounts = {1}}};
  const Instance frozen = *Freeze(*Instance::Create(std::move(data)), {{.visits = {3, 1}}});
  const Instance guided = GuideOf(frozen, 1)->searched();
  ASSERT_EQ(guided.frozen().size(), 1);
  EXPECT_EQ(guided.frozen()[0].visits, (std::vector<NodeIndex>{3, 1}));
  EXPECT_EQ(guided.frozen()[0].deliveries, std::vector<NodeIndex>{2});
}

TEST(GuidedInstanceTest, RefusesWhatItCannotGuideByName) {
  const Instance instance = AnInstance().Build();
  EXPECT_THAT(Refusal(instance, 11), HasSubstr("habit_weight: got 11, wanted 0 to 10"));
  EXPECT_THAT(Refusal(instance, -0.1), HasSubstr("habit_weight: got -0.1"));
  InstanceData balanced = AnInstance().BuildData();
  balanced.balance = Balance{.measure = BalanceMeasure::kDistance, .cost = 1};
  EXPECT_THAT(Refusal(*Instance::Create(std::move(balanced))), HasSubstr("balance.measure"));
  EXPECT_THAT(Refusal(AnInstance().WithCustomers(kMaxGuidedNodes).Build()),
              HasSubstr("2001 nodes exceed the limit of 2000 for habits"));
}

TEST(GuidedInstanceTest, RefusesMoreMatricesThanItsLimit) {
  InstanceData data = AnInstance().WithCustomers(999).BuildData();
  data.objective = Objective::kCost;
  for (int32_t i = 1; i <= 20; ++i) {
    data.vehicles.push_back({.id = std::to_string(i), .cost_per_distance = 1.0 + i});
  }
  EXPECT_THAT(Refusal(*Instance::Create(std::move(data))),
              HasSubstr("matrices of 1000 x 1000 numbers"));
}

TEST(GuidedInstanceTest, RefusesMoreDriversThanItsLimit) {
  InstanceData data = AnInstance().WithCustomers(1999).BuildData();
  FakeHabitModel::Drivers drivers;
  for (int32_t i = 0; i < 6; ++i) {
    data.vehicles.push_back({.id = std::to_string(i)});
    drivers[std::to_string(i)] = {};
  }
  const auto guide = HabitGuide::Create(*Instance::Create(std::move(data)),
                                        FakeHabitModel(std::move(drivers)), nullptr, 1);
  EXPECT_TRUE(absl::IsInvalidArgument(guide.status()));
  EXPECT_THAT(std::string(guide.status().message()), HasSubstr("habits of 7 drivers"));
}

}  // namespace
}  // namespace vrp
